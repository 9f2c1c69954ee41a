"""Well-known technologies and what each is, so that a plain word such as "uv" or "Go" is read as a name.

Kept compact on purpose. What is not listed is still a name where its spelling shows it (capitals, digits, dots).
"""

from typing import Final

_LISTED: Final = {
    "language": """python rust go golang java kotlin scala clojure elixir erlang haskell ocaml ruby perl php lua julia
        swift objective-c dart c c++ c# f# zig nim crystal javascript typescript coffeescript sql bash zsh fish
        powershell r matlab fortran cobol groovy html css sass scss less yaml toml json xml markdown latex graphql hcl
        nix elm purescript racket scheme prolog solidity assembly wasm webassembly cypher plsql vba""",
    "framework": """django flask fastapi starlette rails sinatra laravel symfony spring spring-boot express express.js
        nestjs next next.js nextjs nuxt nuxt.js svelte sveltekit react react.js vue vue.js angular angular.js ember
        solid solid.js astro remix gatsby phoenix gin echo fiber actix axum rocket dramatiq celery sidekiq airflow
        dagster prefect hamilton spark flink beam pytorch tensorflow keras jax flutter electron tauri qt gtk bootstrap
        tailwind tailwindcss unity unreal godot streamlit gradio quarkus micronaut blazor asp.net .net dotnet
        scrapy langchain""",
    "library": """numpy pandas polars scipy scikit-learn sklearn matplotlib seaborn plotly pydantic sqlalchemy alembic
        requests httpx aiohttp urllib3 jinja jinja2 werkzeug flask-login flask-sqlalchemy flask-wtf flask-migrate
        lodash jquery moment.js axios redux zustand mobx rxjs d3 d3.js chart.js three.js zod prisma typeorm sequelize
        mongoose hibernate jackson guava junit mockito boto3 openssl libxml ffmpeg opencv transformers spacy nltk
        marshmallow click typer rich tokio serde diesel sqlc psycopg psycopg2 asyncpg react-query tanstack
        date-fns bcrypt argon2 passlib immer attrs structlog loguru""",
    "database": """postgres postgresql mysql mariadb sqlite oracle mssql sqlserver mongodb mongo redis valkey memcached
        cassandra scylladb dynamodb cockroachdb couchdb couchbase neo4j elasticsearch opensearch solr clickhouse
        snowflake bigquery redshift duckdb influxdb timescaledb prometheus firestore firebase supabase planetscale
        pinecone weaviate qdrant milvus chroma pgvector faunadb tidb rocksdb leveldb meilisearch typesense presto trino
        pg""",
    "service": """github gitlab bitbucket jira confluence trello asana notion slack discord datadog sentry honeycomb
        grafana newrelic pagerduty splunk stripe paypal twilio sendgrid mailgun auth0 okta cloudflare fastly netlify
        vercel heroku render fly fly.io railway s3 ec2 ecs eks gke rds sqs sns lambda kinesis cloudfront spotify zoom
        dropbox mint ynab splitwise excel google-sheets airtable zapier linear figma canva grammarly linkedin
        openai anthropic chatgpt claude gemini copilot circleci travis buildkite codecov sonarqube snyk launchdarkly
        mixpanel amplitude segment intercom zendesk hubspot salesforce shopify wordpress algolia instagram twitter
        facebook youtube netflix goodreads audible duolingo strava whatsapp telegram""",
    "tool": """git docker podman docker-compose compose kubernetes k8s helm terraform pulumi ansible puppet chef vagrant
        packer jenkins argocd flux tekton make cmake bazel gradle maven ant webpack vite esbuild rollup parcel turbopack
        babel swc eslint prettier biome ruff black flake8 pylint mypy pyright isort pytest unittest nose tox nox
        hypothesis jest vitest mocha cypress playwright selenium puppeteer storybook postman insomnia swagger
        openapi-generator vim neovim emacs vscode pycharm intellij xcode helix nano sublime tmux nginx apache caddy
        traefik haproxy envoy istio consul vault kafka rabbitmq nats activemq zeromq pulsar mqtt-broker gunicorn uvicorn
        hypercorn uwsgi systemd cron jupyter pgcli psql curl wget git-cliff pre-commit protoc openapi vcr locust k6
        wireshark firefox chrome chromium safari thunderbird gimp inkscape blender vlc hexchat irssi xchat pidgin
        evolution nautilus konqueror totem rhythmbox amarok mplayer xmms wine virtualbox vmware qemu kvm lxc grub lilo
        samba cups alsa pulseaudio compiz ndiswrapper firestarter pavucontrol transmission obsidian evernote logseq
        openssh logstash kibana fluentd fluentbit loki jaeger zipkin opentelemetry otel minio sops direnv
        asdf mise pyenv nvm shellcheck hadolint trivy renovate dependabot kustomize skaffold tilt minikube kind""",
    "package_manager": """pip pipenv poetry uv conda mamba npm yarn pnpm bun cargo composer bundler rubygems homebrew
        brew apt apt-get aptitude yum dnf pacman zypper snap flatpak synaptic nuget vcpkg conan hex gem portage""",
    "platform": """aws gcp azure linux ubuntu kubuntu xubuntu lubuntu debian fedora centos rhel arch alpine suse opensuse
        gentoo slackware mandrake knoppix mint freebsd openbsd windows macos osx ios android raspbian arm64 x86 x86_64 amd64
        node nodejs node.js deno jvm openshift nomad digitalocean linode hetzner ovh pypi artifactory ecr dockerhub
        gnome kde xfce lxde unity cinnamon mate fluxbox openbox wayland xorg x11 vista xp""",
    "protocol": """http https http/2 http/3 grpc rest soap mqtt amqp smtp imap pop3 ftp sftp ssh tls ssl websocket
        websockets oauth oauth2 oidc saml jwt ldap dns dhcp tcp udp ipv6 protobuf avro thrift json-rpc webrtc nfs
        smb""",
}  # fmt: skip

TECHNOLOGIES: Final = {name: kind for kind, names in _LISTED.items() for name in names.split()}
"""Lower-cased name → entity type; where a name is listed twice, the later list holds."""

SPACED: Final = {
    "github actions": "service", "gitlab ci": "service", "circle ci": "service", "travis ci": "service",
    "google cloud": "platform", "cloud run": "service", "google sheets": "service", "google docs": "service",
    "google drive": "service", "google calendar": "service", "visual studio": "tool", "visual studio code": "tool",
    "vs code": "tool", "sublime text": "tool", "android studio": "tool", "sql server": "database",
    "ms sql": "database", "aws lambda": "service", "azure devops": "service", "spring boot": "framework",
    "ruby on rails": "framework", "docker compose": "tool", "docker swarm": "tool", "raspberry pi": "platform",
    "elastic beanstalk": "service", "app engine": "service", "new relic": "service", "route 53": "service",
    "power bi": "service", "apple music": "service", "microsoft teams": "service", "office 365": "service",
    "scikit learn": "library", "objective c": "language", "windows xp": "platform", "mac os": "platform",
    "cloud functions": "service", "cloud sql": "database", "react native": "framework", "material ui": "library",
}  # fmt: skip
"""Names that are written in two or three words."""

AMBIGUOUS: Final = frozenset(
    [
        "go",
        "c",
        "r",
        "make",
        "next",
        "express",
        "rich",
        "click",
        "black",
        "solid",
        "fish",
        "less",
        "render",
        "fly",
        "chrome",
        "spring",
        "echo",
        "rocket",
        "helix",
        "mint",
        "notion",
        "linear",
        "segment",
        "compose",
        "kind",
        "unity",
        "mate",
        "snap",
        "hex",
        "gem",
        "flux",
        "chef",
        "puppet",
        "ant",
        "parcel",
        "crystal",
        "elm",
        "julia",
        "swift",
        "dart",
        "scheme",
        "rails",
        "ember",
        "gin",
        "fiber",
        "beam",
        "phoenix",
        "rest",
        "stripe",
        "slack",
        "zoom",
        "discord",
        "vault",
        "consul",
        "spark",
        "transmission",
        "evolution",
        "wine",
        "windows",
        "requests",
        "attrs",
        "loki",
        "tilt",
        "mise",
        "nano",
        "oracle",
        "node",
        "sublime",
        "canva",
        "telegram",
        "alpine",
        "arch",
        "intercom",
        "amplitude",
        "arm",
        "helm",
        "lambda",
        "compass",
        "safari",
        "nose",
        "chroma",
        "remix",
        "echo",
        "prefect",
        "nomad",
        "bundler",
        "insomnia",
        "cypress",
        "jest",
        "mocha",
        "black",
        "amp",
        "hypothesis",
        "hamilton",
        "envoy",
        "istio",
        "poetry",
        "cargo",
        "composer",
        "conan",
        "brew",
        "jackson",
        "guava",
        "diesel",
        "serde",
        "cron",
        "totem",
        "r",
        "kinesis",
        "railway",
        "fluent",
        "solr",
        "apache",
        "caddy",
        "packer",
        "pulsar",
        "presto",
        "compose",
        "gradle",
        "vista",
        "xp",
    ]
)
"""Names that are English words too: read as names only with a capital, a version, or beside another name."""
