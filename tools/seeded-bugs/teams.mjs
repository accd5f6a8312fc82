// Mistakes of teams who add a vendor, a paid route or a rail, in the format of `bugs.mjs`. The contract tests of each list
// detect them. Each name begins with the kind of the addition.

const MEDIA = 'test/contract/media-vendors.spec';
const AUDIO = 'test/contract/audio-vendors.spec';
const MEASURED = 'test/contract/measured-routes.spec';
const EVENTS = 'test/extending/events.spec';
const OWN_VENDOR = 'test/extending/media-vendor.spec';
const ROUTES = 'test/contract/paid-routes.spec';
const OWN_ROUTE = 'test/extending/paid-route.spec';
const RAILS = 'test/contract/rails.spec';
const OWN_RAIL = 'test/extending/rail.spec';
const ACME = 'test/extending/acme';
const SAMPLE_VOUCHER = 'test/extending/sample-voucher/sample-voucher.rail.ts';
const PREPAID = 'src/money/billing/rails/prepaid-rail.ts';
const SOURCES = 'src/work/generation/source-media.ts';

const VENDOR_BUGS = [
  {
    name: 'vendor: an unknown state is a failure',
    file: `${ACME}/acme.wire.ts`,
    find: "return state === 'failed' ? { state: 'failed', reason: 'it says so' } : { state: 'running' };",
    replace:
      "return state === 'queued' || state === 'begun' ? { state: 'running' } : { state: 'failed', reason: 'it says so' };",
    tests: [OWN_VENDOR, 'does not know'],
  },
  {
    name: 'vendor: an unknown state at Replicate is a failure',
    file: 'src/models/providers/replicate/replicate.wire.ts',
    find: "      const progress = lastPercentIn(textOf(logs) ?? '');",
    replace:
      "      if (status !== 'starting' && status !== 'processing') return { state: 'failed', reason: 'it says so' };\n      const progress = lastPercentIn(textOf(logs) ?? '');",
    tests: [MEDIA, 'replicate takes the state'],
  },
  {
    name: 'vendor: an answer without an id counts as refused',
    file: `${ACME}/acme.wire.ts`,
    find: "throw new ProviderFault('unknown', 'its answer has no id');",
    replace: "throw new ProviderFault('not-accepted', 'its answer has no id');",
    tests: [OWN_VENDOR, 'says what is known'],
  },
  {
    name: 'vendor: a look-up that fails says that there is no work',
    file: `${ACME}/acme-media.provider.ts`,
    find: 'providerRef: toProviderRef(found) };\n    } catch (error) {\n      throw asLookError(error);',
    replace: "providerRef: toProviderRef(found) };\n    } catch {\n      return { found: 'nothing' };",
    tests: [OWN_VENDOR, 'never came'],
  },
  {
    name: 'vendor: any size is a square',
    file: `${ACME}/acme.wire.ts`,
    find: "  if (!makesSize(mode, request)) throw new ProviderFault('not-served', 'it does not make this size');\n",
    replace: '',
    tests: [OWN_VENDOR, 'asks for what was sold'],
  },
  {
    name: 'vendor: OpenAI chooses the size of a picture',
    file: 'src/models/providers/openai/openai-media.wire.ts',
    find: "imageSize ?? (resolution === '1K' ? IMAGE_SIZES[aspectRatio] : undefined);",
    replace: "imageSize ?? (resolution === '1K' ? IMAGE_SIZES[aspectRatio] : undefined) ?? 'auto';",
    tests: [MEDIA, 'openai a submission of the mode t2i asks for what was sold'],
  },
  {
    name: 'vendor: films of Runway have five seconds',
    file: 'src/models/providers/runway/runway.wire.ts',
    find: '      duration: seconds,',
    replace: '      duration: seconds === undefined ? undefined : 5,',
    tests: [MEDIA, 'runway .*seconds, as sold'],
  },
  {
    name: 'vendor: films of Gemini have eight seconds',
    file: 'src/models/providers/gemini/gemini-media.wire.ts',
    find: '        durationSeconds: seconds,',
    replace: '        durationSeconds: seconds && 8,',
    tests: [MEDIA, 'gemini .*seconds, as sold'],
  },
  {
    name: 'vendor: a negative bill is believed',
    file: 'src/models/providers/bfl/bfl.wire.ts',
    find: "typeof cost === 'number' && cost >= 0 && cost <= CREDITS_MAX",
    replace: "typeof cost === 'number' && cost <= CREDITS_MAX",
    tests: [MEDIA, 'bfl reports the bill'],
  },
  {
    name: 'vendor: a credit costs a hundred times as much',
    file: 'src/models/providers/bfl/bfl.wire.ts',
    find: '* 10_000n, 10_000n)',
    replace: '* 10_000n, 100n)',
    tests: [MEDIA, 'bfl reports the bill'],
  },
  {
    name: 'vendor: work that runs counts as waiting',
    file: 'src/models/providers/fal/fal.wire.ts',
    find: "  if (status === 'IN_QUEUE') return 'waiting';",
    replace: "  if (status === 'IN_QUEUE' || status === 'IN_PROGRESS') return 'waiting';",
    tests: [MEDIA, 'fal refunds no work'],
  },
  {
    name: 'vendor: work that has begun is refunded when it is cancelled',
    file: 'src/models/providers/cancel-waiting.ts',
    find: "  begun: 'billed',",
    replace: "  begun: 'stopped-unbilled',",
    tests: [MEDIA, 'refunds no work'],
  },
  {
    name: 'vendor: unneeded work at Runway goes on',
    file: 'src/models/providers/runway/runway-media.provider.ts',
    find: "    const body = await this.http.open({ method: 'DELETE', path: `tasks/${providerRef}`, signal });",
    replace:
      "    const body = await this.http.open({ method: 'GET', path: `tasks/${providerRef}`, signal });",
    tests: [MEDIA, 'runway stops work'],
  },
  {
    name: 'vendor: films of Veo at Runway have sound that nobody bought',
    file: 'src/models/providers/runway/runway.wire.ts',
    find: "  if (sound === 'optional') return { audio };",
    replace: "  if (sound === 'optional') return audio ? { audio } : {};",
    tests: ['src/models/providers/runway/runway.wire.spec', 'ask for silence'],
  },
  {
    name: 'vendor: a film that the moderation of xAI stopped is done',
    file: 'src/models/providers/xai/xai-media.wire.ts',
    find: "    if (respects === false) return { state: 'failed', reason: 'it refuses the content' };\n",
    replace: '',
    tests: ['test/providers/media-providers.spec', 'xai calls moderated'],
  },
  {
    name: 'vendor: a film of xAI without an address has failed',
    file: 'src/models/providers/xai/xai-media.wire.ts',
    find: "    if (url === undefined) throw new ProviderFault('unknown', 'its answer has no film');",
    replace: "    if (url === undefined) return { state: 'failed', reason: 'its answer has no film' };",
    tests: ['src/models/providers/xai/xai-media.wire.spec', 'address is missing'],
  },
  {
    name: 'vendor: an id of xAI may name a held picture',
    file: 'src/models/providers/xai/xai-media.wire.ts',
    find: '/^(?!held_)[\\w-]{1,100}$/',
    replace: '/^[\\w-]{1,100}$/',
    tests: ['src/models/providers/xai/xai-media.wire.spec', 'held picture'],
  },
  {
    name: 'vendor: a picture of seedream at Replicate is larger than sold',
    file: 'src/models/providers/replicate/replicate.wire.ts',
    find: ' ? { size: resolution } : {}',
    replace: ' ? {} : {}',
    tests: ['src/models/providers/replicate/replicate.wire.spec', 'in the size that is sold'],
  },
];

const AUDIO_FILE = 'src/models/providers/openai/openai-audio.provider.ts';
const LISTENERS = 'src/notices/outbox/listeners/event-listeners.ts';

const AUDIO_BUGS = [
  {
    name: 'audio: another file than the sold one is sold',
    file: AUDIO_FILE,
    find: "      if (!hasFormat(file, format)) throw new ProviderFault('unknown', `its answer is no ${format}`);\n",
    replace: '',
    tests: [AUDIO, 'is not sold if the answer is another file'],
  },
  {
    name: 'audio: speech has the usual speed',
    file: AUDIO_FILE,
    find: 'json: { model, input, voice, response_format: format, speed },',
    replace: 'json: { model, input, voice, response_format: format },',
    tests: [AUDIO, 'is asked for as it was sold'],
  },
  {
    name: 'audio: the end of a long text is not spoken',
    file: AUDIO_FILE,
    find: 'json: { model, input, voice, response_format: format, speed },',
    replace: 'json: { model, input: input.slice(0, 20), voice, response_format: format, speed },',
    tests: [AUDIO, 'is asked for as it was sold'],
  },
  {
    name: 'audio: the language of a recording is left out',
    file: AUDIO_FILE,
    find: "  if (language !== undefined) form.append('language', language);\n",
    replace: '',
    tests: [AUDIO, 'is of the whole recording'],
  },
  {
    name: 'audio: an answer without a text is an empty transcript',
    file: 'src/models/providers/openai/openai-audio.wire.ts',
    find: "if (typeof text !== 'string') throw new ProviderFault('unknown', 'its answer has no text');",
    replace: "if (typeof text !== 'string') return { text: '' };",
    tests: [AUDIO, 'without a text is none'],
  },
];

const MEASURED_BUGS = [
  {
    name: 'route: a call by use is charged what was held',
    file: 'src/money/billing/calls/work-by-use.ts',
    find: 'await this.charges.capture(call, draft, price, body as object, use);',
    replace: 'await this.charges.capture(call, draft, call.hold.held, body as object, use);',
    tests: [MEASURED, 'chat/completions on api-key charges what was used'],
  },
  {
    name: 'route: a call by use that fails keeps its hold',
    file: 'src/money/billing/calls/work-by-use.ts',
    find: '      else await this.charged.release(call, held, error);\n',
    replace: '',
    tests: [MEASURED, 'chat/completions on wallet gives all of it back'],
  },
];

const LISTENER_BUGS = [
  {
    name: 'listener: a failed event is forgotten',
    file: LISTENERS,
    find: '      await this.pauses.failed(`${RECORDED}${name}`, id);\n',
    replace: '',
    tests: [EVENTS, 'come again to a listener that fails'],
  },
  {
    name: 'listener: a process takes the lease of another one',
    file: 'src/notices/outbox/listeners/event-listener.repository.ts',
    find: 'where name = $1 and (holder = $2 or lease_until is null or lease_until < clock_timestamp())',
    replace: 'where name = $1',
    tests: [EVENTS, 'come to one process at a time'],
  },
  {
    name: 'listener: the lease of a dead process never ends',
    file: 'src/notices/outbox/listeners/event-listener.repository.ts',
    find: ' or lease_until < clock_timestamp())',
    replace: ')',
    tests: [EVENTS, 'come to one process at a time'],
  },
  {
    name: 'listener: an expired key has no event',
    file: 'src/notices/outbox/events.processor.ts',
    find: '      () => this.listeners.announceExpiredKeys(),\n',
    replace: '',
    tests: [EVENTS, 'a key has ended'],
  },
];

const ROUTE_BUGS = [
  {
    name: 'route: the line of a price lacks what sets the price',
    file: 'test/extending/sample-captions/sample-captions.pricer.ts',
    find: 'input: `sample-captions|${text.length}`,',
    replace: "input: 'sample-captions',",
    tests: [OWN_ROUTE, 'sample-captions sells a quote'],
  },
  {
    name: 'route: a quote for one picture buys four',
    file: 'src/models/catalog/media-price-calculator.ts',
    find: '      input: `${input}${results}`,',
    replace: '      input: `${input}${results.slice(0, 0)}`,',
    tests: [ROUTES, 'images/generations sells a quote'],
  },
  {
    name: 'route: a quote for a short film buys a long one',
    file: 'src/models/catalog/media-price-calculator.ts',
    find: '`${model.mode}|${options.seconds ?? 1}|${tier}|',
    replace: '`${model.mode}|${tier}|',
    tests: [ROUTES, 'videos sells a quote'],
  },
  {
    name: 'route: a quote for a short answer buys a long one',
    file: 'src/models/catalog/chat-price-calculator.ts',
    find: 'const input = `chat|${chars}|${maxTokens}`;',
    replace: 'const input = `chat|${chars}`;',
    tests: [ROUTES, 'agent/chat sells a quote'],
  },
  {
    name: 'route: a quote for a short speech buys a long one',
    file: 'src/models/catalog/audio-price-calculator.ts',
    find: '{ input: `speech|${chars}`, list, cost }',
    replace: "{ input: 'speech', list, cost }",
    tests: [ROUTES, 'audio/speech sells a quote'],
  },
  {
    name: 'route: a rehearsal runs',
    file: 'src/money/billing/calls/charge.interceptor.ts',
    find: 'call.body.dryRun === true ? await this.dry.run(call)',
    replace: 'call.body.dryRun === true ? (await work(), await this.dry.run(call))',
    tests: [ROUTES, 'for a rehearsal, however'],
  },
  {
    name: 'route: a misspelt rehearsal is charged',
    file: 'src/money/billing/calls/paid-body.ts',
    find: "@NoSlipOf('quoteId', 'maxPriceMicro', 'dryRun')",
    replace: "@NoSlipOf('quoteId', 'maxPriceMicro')",
    tests: [ROUTES, 'for a rehearsal, however'],
  },
  {
    name: 'route: the verdict on a prompt is ignored',
    file: 'src/work/generation/prompt-screening.ts',
    find: "      if (!verdict.allowed) throw new PolicyBlocked('prompt', verdict.category);\n",
    replace:
      "      if (!verdict.allowed && verdict.category === '') throw new PolicyBlocked('prompt', verdict.category);\n",
    tests: [ROUTES, 'that the policy blocks'],
  },
  {
    name: 'route: a text to be read out is not screened',
    file: 'src/work/audio/speech.controller.ts',
    find: '      prepare: SpeechScreening,\n',
    replace: '',
    tests: [ROUTES, 'audio/speech runs and charges nothing that the policy blocks'],
  },
  {
    name: 'route: the verdict on a source picture is ignored',
    file: SOURCES,
    find: '    if (!verdict.allowed) throw new PolicyBlocked(param, verdict.category);',
    replace: "    if (!verdict.allowed && param === '') throw new PolicyBlocked(param, verdict.category);",
    tests: [ROUTES, 'deletes its source media'],
  },
  {
    name: 'route: source media stay when the preparation fails',
    file: SOURCES,
    find: '      await this.discard({ media });\n',
    replace: '',
    tests: [ROUTES, 'deletes its source media'],
  },
  {
    name: 'route: source media stay after the call',
    file: 'src/money/billing/calls/charge.interceptor.ts',
    find: '      await this.preparation.discard(call);\n',
    replace: '',
    tests: [ROUTES, 'deletes its source media'],
  },
  {
    name: 'route: a payment by channel is refunded without a credit',
    file: 'src/money/billing/rails/channel/channel.rail.ts',
    find: 'return this.givesBack && (await this.channels.creditLateFailure(chargeId));',
    replace: 'return Promise.resolve(this.givesBack && chargeId.length > 0);',
    tests: [OWN_ROUTE, 'sample-captions on channel is refunded once'],
  },
];

const RAIL_BUGS = [
  {
    name: 'rail: a refund does nothing',
    file: PREPAID,
    find: 'return (await this.ledger.refund(chargeId)) !== undefined;',
    replace: 'return Promise.resolve(chargeId.length > 0);',
    tests: [OWN_RAIL, 'gives a charged call back|gives the money of a job back'],
  },
  {
    name: 'rail: a refund of a payment does nothing',
    file: 'src/money/billing/rails/x402/x402.rail.ts',
    find: 'return this.givesBack && (await this.payments.creditLateFailure(chargeId));',
    replace: 'return Promise.resolve(this.givesBack && chargeId.length > 0);',
    tests: [RAILS, '(x402|mpp) gives'],
  },
  {
    name: 'rail: a refund by channel does nothing',
    file: 'src/money/billing/rails/channel/channel.rail.ts',
    find: 'return this.givesBack && (await this.channels.creditLateFailure(chargeId));',
    replace: 'return Promise.resolve(this.givesBack && chargeId.length > 0);',
    tests: [RAILS, 'channel gives a charged call back'],
  },
  {
    name: 'rail: a release does nothing',
    file: PREPAID,
    find: 'return (await this.ledger.release(chargeId)) !== undefined;',
    replace: 'return Promise.resolve(chargeId.length > 0);',
    tests: [OWN_RAIL, 'gives everything back'],
  },
  {
    name: 'rail: the call of a dead process stays held',
    file: PREPAID,
    find: "    } else if (work === 'not-done') {\n      await this.ledger.release(charge.id);\n",
    replace: '',
    tests: [OWN_RAIL, 'releases the call of a process'],
  },
  {
    name: 'rail: a call by use is free',
    file: PREPAID,
    find: '    const left = await (used > 0n\n      ? this.ledger.capture(chargeId, used, replay, use)\n      : this.ledger.release(chargeId));',
    replace:
      '    const left = await (used > 0n && chargeId === String(replay) + String(use)\n      ? this.ledger.capture(chargeId, used, replay, use)\n      : this.ledger.release(chargeId));',
    tests: [OWN_RAIL, 'charges a call by usage'],
  },
  {
    name: 'rail: a new rail pays no call by use',
    file: 'src/money/billing/rails/rail-order.ts',
    find: '      ({ prototype }) => (prototype as PaymentRail).capture !== PaymentRail.prototype.capture,',
    replace:
      "      ({ prototype, facts }) =>\n        ['api-key', 'wallet', 'channel'].includes(facts.name) &&\n        (prototype as PaymentRail).capture !== PaymentRail.prototype.capture,",
    tests: [OWN_RAIL, 'charges a call by usage'],
  },
  {
    name: 'rail: the code of a voucher is its public name',
    file: SAMPLE_VOUCHER,
    find: "createHash('sha256').update(code).digest('base64url')",
    replace: "(createHash('sha256'), code)",
    tests: [OWN_RAIL, 'shows no credential'],
  },
  {
    name: 'rail: the log knows no form of the codes',
    file: SAMPLE_VOUCHER,
    find: '    secrets: [/(sample_voucher_)()[A-Za-z0-9]{20,}/g],\n',
    replace: '',
    tests: [OWN_RAIL, 'shows no credential|its codes are in no log'],
  },
  {
    name: 'rail: all vouchers spend one balance',
    file: SAMPLE_VOUCHER,
    find: '      ledgerAccount: `sample-voucher:${id}`,',
    replace: "      ledgerAccount: 'sample-voucher:all',",
    tests: [OWN_RAIL, 'holds the money of one payer'],
  },
  {
    name: 'rail: the transparency log names the account of the ledger',
    file: 'src/money/billing/transparency/transparency.repository.ts',
    find: "e.account_id, substr(e.account_id, strpos(e.account_id, ':') + 1) as owner, e.kind,",
    replace: 'e.account_id, e.account_id as owner, e.kind,',
    tests: [RAILS, 'wallet names the same owner'],
  },
  {
    name: 'rail: the end of a charge has no owner of its own',
    file: 'src/money/billing/transparency/transparency.repository.ts',
    find: 'null as account_id, c.payer as owner, ends.kind,',
    replace: "null as account_id, c.rail || ':' || c.payer as owner, ends.kind,",
    tests: [RAILS, 'x402 names the same owner'],
  },
  {
    name: 'rail: a payment by MPP has no receipt',
    file: 'src/money/billing/rails/x402/x402.rail.ts',
    find: '(payer?.proof as CheckedPayment | undefined)?.offer?.isMpp === true',
    replace: '(payer?.proof as CheckedPayment | undefined)?.offer?.isMpp === undefined',
    tests: [RAILS, 'mpp charges exactly'],
  },
];

export const TEAM_BUGS = [
  ...VENDOR_BUGS,
  ...AUDIO_BUGS,
  ...ROUTE_BUGS,
  ...MEASURED_BUGS,
  ...RAIL_BUGS,
  ...LISTENER_BUGS,
];
