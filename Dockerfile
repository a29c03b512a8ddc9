# One image for the web side and the clusters. Debian 13 brings gcc 14, the compiler results are meant to be measured with.
#
#   docker build -t arch-kernels .
#   docker run -p 8000:8000 -v arch-kernels:/data arch-kernels                  everything in one container
#   docker run ... arch-kernels web | cluster amd64 | manage COMMAND            one role per container (docs/operations.md)
FROM python:3.13-slim-trixie

RUN apt-get update \
    && apt-get install --yes --no-install-recommends binutils bubblewrap gcc libc6-dev \
    && rm -rf /var/lib/apt/lists/*

WORKDIR /app
COPY requirements-image.txt ./
RUN pip install --no-cache-dir --disable-pip-version-check --require-hashes --requirement requirements-image.txt

COPY . .
# No npm here: the chart library comes out of the plotly wheel.
RUN python scripts/fetch_plotly.py \
    && useradd --create-home --uid 1000 grader \
    && install --directory --owner=grader --group=grader /data

USER grader
ENV DATA_DIR=/data \
    ARCH_KERNELS_CACHE=/data/harness \
    PORT=8000 \
    PYTHONUNBUFFERED=1
VOLUME /data
EXPOSE 8000
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s \
    CMD ["python", "scripts/healthcheck.py"]
ENTRYPOINT ["scripts/entrypoint.sh"]
CMD ["all"]
