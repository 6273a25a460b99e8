# syntax=docker/dockerfile:1
# One image for the API, the worker and the migrations; the command says which.
FROM node:24-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY packages/client/package.json ./packages/client/
COPY packages/cli/package.json ./packages/cli/
COPY console/package.json ./console/
# No package runs an install script but those that `npm rebuild` names (test/arch/lockfile.test.ts).
RUN npm ci --ignore-scripts --no-audit --no-fund && npm rebuild @swc/core
COPY tsconfig.json tsconfig.build.json ./
COPY tools ./tools
COPY src ./src
COPY docs ./docs
COPY packages ./packages
COPY console ./console
RUN npm run build && npm run docs && npm prune --omit=dev --ignore-scripts --no-audit --no-fund

FROM node:24-bookworm-slim
RUN apt-get update && apt-get install -y --no-install-recommends ca-certificates && rm -rf /var/lib/apt/lists/*
WORKDIR /app
# docs/internals/bodies.md#memory
ENV MALLOC_ARENA_MAX=2 MALLOC_MMAP_THRESHOLD_=131072
ENV NODE_ENV=production HOST=0.0.0.0 PORT=4000
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY migrations ./migrations
USER node
EXPOSE 4000
CMD ["node", "dist/api/main.js"]
