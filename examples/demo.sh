#!/bin/sh
# HyMem in a minute: a conversation goes in, a dream passes over it, and what was learned can be asked for, with its reasons.
# Everything happens in a temporary folder; no key is needed, and nothing leaves this machine.
set -eu
cd "$(dirname "$0")/.."

question="How do we install packages in local dev?"
fact="local_dev uses uv"

for name in $(env | sed -n 's/^\(HYMEM_[A-Z0-9_]*\)=.*/\1/p'); do
    unset "$name"
done
HYMEM_ROOT=$(mktemp -d)
HYMEM_LLM_MODEL=rules
export HYMEM_ROOT HYMEM_LLM_MODEL
trap 'rm -rf "$HYMEM_ROOT"' EXIT

hymem() {
    printf '\n$ hymem'
    printf ' "%s"' "$@" | sed 's/"\([^ "]*\)"/\1/g'
    printf '\n'
    .venv/bin/hymem "$@"
}

show() {
    printf '\n--- %s\n\n' "$1"
    sed '/^<!-- HyMem/d' "$HYMEM_ROOT/$1"
}

hymem ingest examples/demo.jsonl
hymem dream
show MEMORY.md
show USER.md
hymem augment "$question"
hymem why "$fact"
