# One image for server and worker: the default command is `serve`, the other one is `worker`.
FROM python:3.11-slim-bookworm AS python

# The canvas, built with the Node that scripts/node.sh installs from PyPI.
FROM python AS canvas
WORKDIR /signalbox
RUN python -m venv .venv
COPY requirements-node.txt ./
COPY scripts/node.sh scripts/
COPY frontend_static/package.json frontend_static/package-lock.json frontend_static/.npmrc frontend_static/
RUN scripts/node.sh ci --silent --no-audit --no-fund
COPY frontend_static frontend_static
RUN scripts/node.sh run --silent build

# Requirements of the server, checked against their pinned hashes, and the server as a wheel has it.
FROM python AS parts
WORKDIR /signalbox
RUN python -m venv .venv
COPY requirements.txt ./
RUN .venv/bin/python -m pip install --quiet --no-cache-dir --disable-pip-version-check \
    --no-deps --require-hashes -r requirements.txt
COPY pyproject.toml setup.py CHANGELOG.md CONTRIBUTING.md SECURITY.md ./
COPY signalbox signalbox
COPY workflows workflows
COPY roles roles
COPY templates templates
COPY docs docs
COPY --from=canvas /signalbox/frontend_static/dist frontend_static/dist
RUN .venv/bin/python -m pip install --quiet --no-cache-dir --disable-pip-version-check --no-deps .

FROM python
# Exports and imports of repositories run git. Commands of packs run in bubblewrap.
RUN apt-get update && apt-get install --yes --no-install-recommends bubblewrap git \
    && rm -rf /var/lib/apt/lists/*
RUN useradd --system --uid 10001 --no-create-home signalbox \
    && install --directory --owner signalbox --mode 700 /data
WORKDIR /signalbox
COPY --from=parts /signalbox/.venv .venv
ENV PATH=/signalbox/.venv/bin:$PATH PYTHONUNBUFFERED=1 SIGNALBOX_DATA=/data
USER signalbox
VOLUME /data
EXPOSE 8000
ENTRYPOINT ["signalbox"]
CMD ["serve", "--host", "0.0.0.0"]
