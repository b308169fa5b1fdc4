#!/usr/bin/env bash
# pictures.sh [REWATCH] makes the pictures of docs/pictures from the program
# itself: it plays the demo in a terminal (tmux), types keys, and has the program
# write what is on the screen (w). Without a program it builds one.
set -eu
cd "$(dirname "$0")"
work=$(mktemp -d)
sock=$work/tmux
trap 'tmux -S "$sock" kill-server 2>/dev/null || true; rm -rf "$work"' EXIT
program=${1:-}
if [ -z "$program" ]; then
  program=$work/rewatch
  (cd .. && CGO_ENABLED=0 go build -o "$program" .)
fi
program=$(realpath "$program")
out=$PWD/pictures
mkdir -p "$out"

# picture NAME COLUMNSxROWS ARGUMENTS -- KEYS: keys as tmux names them; @5 waits
# five seconds, =text types text.
picture() {
  local name=$1 size=$2 args=()
  shift 2
  while [ "$1" != -- ]; do args+=("$1"); shift; done
  shift
  (cd "$work" && HOME=$work tmux -S "$sock" -f /dev/null new-session -d -s "$name" -x "${size%x*}" -y "${size#*x}" \
    "TZ=UTC TERM=xterm-256color COLORTERM=truecolor $(printf '%q ' "$program" "${args[@]}")")
  sleep 3
  local key
  for key in "$@" w C-u "=$work/$name.svg" Enter; do
    case $key in
      @*) sleep "${key#@}" ;;
      =*) tmux -S "$sock" send-keys -t "$name" -l -- "${key#=}" ;;
      *) tmux -S "$sock" send-keys -t "$name" -- "$key" ;;
    esac
    sleep 0.3
  done
  for _ in $(seq 50); do [ -s "$work/$name.svg" ] && break; sleep 0.2; done
  [ -s "$work/$name.svg" ] || { echo "pictures.sh: $name was not written; the screen:" >&2; tmux -S "$sock" capture-pane -p -t "$name" >&2; exit 1; }
  mv "$work/$name.svg" "$out/$name.svg"
  tmux -S "$sock" kill-session -t "$name"
  echo "$out/$name.svg"
}

picture live 120x36 demo --chaos -- @6
picture replay 120x36 demo -- =t =+1m Enter @1 Space
picture object 120x36 demo -- =t =+1m Enter @1 Space =/kind:deploy Enter Enter g b
picture lanes 120x36 demo -- =t =+2m Enter @1 Space L @2
picture coverage 120x36 demo -- =t =+2m Enter @1 Space C @2
picture problems 120x36 demo -- =t =+2m Enter @1 Space F @2 j
picture protocol 120x36 demo --chaos -- @8 P @2
picture theme-light 120x36 demo --theme light -- =t =+1m Enter @1 Space
picture theme-mono 120x36 demo --theme mono -- =t =+1m Enter @1 Space
