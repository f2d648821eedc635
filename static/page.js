// The page's own behaviour; each module listens on the document, so that what is swapped in needs no wiring.

import "./tabs.js";
import "./graph.js";
import "./dialog.js";
import "./menus.js";
import "./live.js";
import "./clock.js";
