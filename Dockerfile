# Build:  docker build -t resolver-playground .
# Run:    docker run --rm -p 127.0.0.1:8000:8000 resolver-playground
#         and open the address it prints. Own modules, and another port outside:
#         docker run --rm -p 127.0.0.1:9000:8000 -v "$PWD:/modules:ro" resolver-playground \
#             --public-url http://localhost:9000 /modules

FROM python:3.13-slim AS build
WORKDIR /source
RUN python -m venv /opt/playground
COPY . .
# The build hook takes npm from a build requirement, so that neither stage needs Node.
RUN /opt/playground/bin/python -m pip install --no-cache-dir -c constraints.txt .

FROM python:3.13-slim
# Workers fork and are killed with their trees: process 1 has to collect what they leave behind.
RUN apt-get update \
    && apt-get install --yes --no-install-recommends tini \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --create-home --uid 10001 playground
COPY --from=build /opt/playground /opt/playground
USER playground
WORKDIR /home/playground
ENV PATH=/opt/playground/bin:$PATH PYTHONUNBUFFERED=1
EXPOSE 8000
HEALTHCHECK --interval=30s --timeout=3s --start-period=10s \
    CMD ["python", "-c", "import urllib.request as web; web.urlopen('http://127.0.0.1:8000/healthz', timeout=2)"]
ENTRYPOINT ["tini", "--", "playground", "serve", "--host", "0.0.0.0", "--port", "8000", "--no-browser"]
CMD ["--public-url", "http://localhost:8000"]
