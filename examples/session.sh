#!/usr/bin/env bash
# Looks up a model, locks its price, pays on each rail, waits for a job and verifies the receipts. It calls with curl, and
# Node makes the signatures of a wallet. Run it so:
#
#   LAMPPOST_URL=http://127.0.0.1:3000 PRIVATE_KEY=0x… LAMPPOST_KEY=lp_… examples/session.sh
set -euo pipefail

base=${LAMPPOST_URL:-http://127.0.0.1:3000}
here=$(dirname "$0")

# The value of a text or a number in JSON on stdin, by its name.
field() { sed -n "s/.*\"$1\":\"\{0,1\}\([^,\"}]*\).*/\1/p" | head -1; }
post() { curl -sS "$base$1" -H 'content-type: application/json' -d "$2" "${@:3}"; }
required() { post "$1" "$2" -o /dev/null -w '%header{payment-required}'; }

echo "Models: $(curl -sS "$base/v1/agent/models" | grep -o '"mode"' | wc -l) for media."
quote=$(post /v1/agent/quote '{"modelId":"torch-video","duration":4}')
echo "A video costs $(field priceMicro <<<"$quote") micro-USD."
body="{\"prompt\":\"Waves at night\",\"modelId\":\"torch-video\",\"duration\":4,\"quoteId\":\"$(field quoteId <<<"$quote")\"}"

# Into the balance of the wallet, for the second rail.
offer=$(required '/v1/agent/x402/top-up?usd=5' '{}')
post '/v1/agent/x402/top-up?usd=5' '{}' -H "PAYMENT-SIGNATURE: $(node "$here/sign.mjs" payment "$offer")"
echo

# Pays with the header that is given, waits for the job, and shows the receipt.
buy() {
  local charge job status=running answer
  answer=$(post /v1/agent/generate "$body" -w '\n%header{x-charge-id}' -H "$2")
  charge=$(tail -1 <<<"$answer")
  job=$(field jobId <<<"$answer")
  while [ "$status" = running ]; do
    sleep 0.5
    status=$(curl -sS "$base/v1/agent/jobs/$job" | field status)
  done
  echo "$1: $status $(curl -sS "$base/v1/agent/charges/$charge" | field state) $(node "$here/verify.mjs" "$base" "$charge")"
}

buy x402 "PAYMENT-SIGNATURE: $(node "$here/sign.mjs" payment "$(required /v1/agent/generate "$body")")"
buy wallet "Sign-In-With-X: $(node "$here/sign.mjs" sign-in "$base")"
buy api-key "x-api-key: $LAMPPOST_KEY"

echo "A wrong call: $(post /v1/agent/generate '{"prompt":"x","modelId":"torch-video","duration":5}')"
