# The daemon of a project that is mounted, and `pm` to ask it: docs/containers.md. The steps are in scripts/image.sh.
ARG NODE_IMAGE=node:24-slim

FROM ${NODE_IMAGE} AS build
WORKDIR /src
COPY . .
RUN mkdir /out && scripts/image.sh pack /out

FROM ${NODE_IMAGE}
LABEL org.opencontainers.image.title="Pommel" \
  org.opencontainers.image.description="The memory of a coding agent" \
  org.opencontainers.image.licenses="MIT"
COPY scripts/image.sh /usr/local/bin/pommel-image
RUN pommel-image system
RUN --mount=type=bind,from=build,source=/out,target=/out \
  pommel-image install /out/pommel.tgz
# The daemon is what the container runs: nothing else starts one.
ENV HOME=/home/pommel POMMEL_HOME=/pommel POMMEL_DAEMON_AUTOSTART=false
VOLUME /pommel
USER node
WORKDIR /project
HEALTHCHECK --interval=30s --timeout=15s --start-period=60s CMD pm status --check || exit 1
CMD ["pommel-image", "serve"]
