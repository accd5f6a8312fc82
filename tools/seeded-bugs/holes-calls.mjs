// Mistakes around paid calls, streams, prices, routes and the database, in the format of `bugs.mjs`. Each name begins with
// `calls`.

const FAILOVER = 'test/platform/failover.spec';
const POLLS = 'test/jobs/polls.spec';
const HEADERS = 'test/x402/headers.spec';
const MPP = 'test/clients/mpp.spec';
const LOCAL = 'test/x402/local.spec';
const ROUTES = 'src/models/providers/routing/failover.spec';
const SLOW = 'test/adversary/slow-readers.spec';
const CLASSES = 'test/contract/price-classes.spec';
const METER = 'src/work/chat/completions/meter.spec';

export const CALLS_BUGS = [
  {
    name: 'calls: a connection has no error listener of its own',
    file: 'src/platform/database/tolerant-client.ts',
    find: "    this.on('error', () => undefined);\n",
    replace: '',
    tests: [FAILOVER, 'does not end the process'],
  },
  {
    name: 'calls: the driver gives up a long statement before the server does',
    file: 'src/platform/database/database.ts',
    find: 'seconds * 1_000 + ANSWER_LATE_MS,',
    replace: 'undefined,',
    tests: ['test/platform/database.spec', 'waits longer for the answer'],
  },
  {
    name: 'calls: nothing probes an idle connection',
    file: 'src/platform/database/data-source.ts',
    find: 'keepAliveInitialDelayMillis: PROBE_AFTER_MS,',
    replace: '',
    tests: ['test/platform/database.spec', 'probes idle connections'],
  },
  {
    name: 'calls: a server that takes no writes is a bug',
    file: 'src/platform/database/sql-state.ts',
    find: '  SqlState.readOnlyTransaction,\n',
    replace: '',
    tests: [FAILOVER, 'takes no writes'],
  },
  {
    name: 'calls: a copied result has a long lease',
    file: 'src/work/jobs/job-times.ts',
    find: 'export const COPY_LEASE_SECONDS = 15;',
    replace: 'export const COPY_LEASE_SECONDS = 90;',
    tests: [POLLS, 'within 15 seconds'],
  },
  {
    name: 'calls: a job that an outage interrupted waits for its lease',
    file: 'src/work/jobs/job-poller.ts',
    find: '      this.leases.giveBack(job.id);\n',
    replace: '',
    tests: [POLLS, 'when the database is back'],
  },
  {
    name: 'calls: a 402 has the whole extensions in its header',
    file: 'src/money/billing/rails/x402/challenge/challenge-extensions.ts',
    find: "      ends: endsOf(short, { 'payment-identifier': short['payment-identifier'] }, {}),",
    replace: "      ends: [encodeEnd('extensions', { ...discovery, 'payment-identifier': identifier })],",
    tests: [HEADERS, 'on every paid route'],
  },
  {
    name: 'calls: a 402 has the offers of all networks in its header',
    file: 'src/money/billing/rails/x402/challenge/challenge-header.ts',
    find: 'if (count > 0 && left < END_BYTES) break;',
    replace: '',
    tests: [HEADERS, 'with 5 networks'],
  },
  {
    name: 'calls: offers that do not fit are lost',
    file: 'src/money/billing/rails/x402/challenge/challenge.ts',
    find: 'body: { ...form.body, ...offers },',
    replace: 'body: form.body,',
    tests: [HEADERS, 'with 5 networks'],
  },
  {
    name: 'calls: a challenge stands in the way of a stock client',
    file: 'src/money/billing/rails/x402/challenge/challenge.ts',
    find: ' && !paysByX402(request.headers)',
    replace: '',
    tests: [MPP, 'default settings'],
  },
  {
    name: 'calls: nobody gets a challenge of MPP who names a preference',
    file: 'src/money/billing/rails/x402/mpp/payment-challenge.ts',
    find: 'const PLAIN_EVM = /(?:^|,)\\s*evm\\/charge\\s*(?:,|$)/i;',
    replace: 'const PLAIN_EVM = /evm\\/charge/i;',
    tests: [MPP, 'offers a challenge'],
  },
  {
    name: 'calls: an empty relayer is the fault of the payer',
    file: 'src/money/billing/rails/x402/facilitators/relayer.ts',
    find: '      if (isPoor && OUT_OF_GAS.test((error as BaseError).message)) throw new RelayerEmpty();\n',
    replace: '',
    tests: [LOCAL, 'while the relayer has'],
  },
  {
    name: 'calls: a pause of the only route stops the sale',
    file: 'src/models/providers/routing/route-health.ts',
    find: "return this.state(now) !== 'paused' || !this.isTried;",
    replace: "return this.state(now) !== 'paused';",
    tests: [ROUTES, 'the sale of a model'],
  },
  {
    name: 'calls: a pause lets everybody through',
    file: 'src/models/providers/routing/route-health.ts',
    find: "if (state === 'half-open' || state === 'paused') this.isTried = true;",
    replace: "if (state === 'half-open') this.isTried = true;",
    tests: [ROUTES, 'one call at a time'],
  },
  {
    name: 'calls: a success does not end a pause',
    file: 'src/models/providers/routing/route-health.ts',
    find: '    this.pausedUntil = 0;\n',
    replace: '',
    tests: [ROUTES, 'the sale of a model'],
  },
  {
    name: 'calls: a caller who does not read pays nothing',
    file: 'src/work/chat/completions/conversation-stream.ts',
    find: '(time.aborted || sse.readerWasSlow) && meter.hasWords',
    replace: 'time.aborted && meter.hasWords',
    tests: [SLOW, 'chat/completions for what was produced'],
  },
  {
    name: 'calls: the service keeps an answer of any length for a slow reader',
    file: 'src/work/chat/completions/conversation-stream.ts',
    find: 'return sse.room(LAG_BYTES_MAX);',
    replace: 'return undefined;',
    tests: [SLOW, 'chat/completions for what was produced'],
  },
  {
    name: 'calls: a broken stream does not name its charge',
    file: 'src/money/billing/calls/work-by-use.ts',
    find: "state === 'released' ? { ...body, charge } : body",
    replace: 'body',
    tests: [SLOW, 'still pays nothing'],
  },
  {
    name: "calls: a wallet's key pays the price of accounts",
    file: 'src/money/billing/calls/price-class-of-payer.ts',
    find: 'rail === ApiKeyRail.facts.name ?',
    replace: "rail !== 'channel' ?",
    tests: [CLASSES, "call by wallet's key"],
  },
  {
    name: 'calls: a quote does not name the class of its price',
    file: 'src/work/chat/compatible/conversation.pricer.ts',
    find: 'input: `studio|${priceClass}|',
    replace: 'input: `studio|',
    tests: [CLASSES, 'bought by the quote'],
  },
  {
    name: 'calls: a count of zero is believed',
    file: 'src/work/chat/completions/meter.ts',
    find: 'completionTokens === this.completion && this.written === 0',
    replace: 'completionTokens === this.completion && this.completion === 0',
    tests: [METER, 'counts nothing written'],
  },
  {
    name: 'calls: counts may shrink',
    file: 'src/work/chat/completions/meter.ts',
    find: 'completionTokens > this.completion || (',
    replace: 'completionTokens > 0 || (',
    tests: [METER, 'counts shrink'],
  },
  {
    name: 'calls: a count that stays the same while text arrives is believed',
    file: 'src/work/chat/completions/meter.ts',
    find: 'completionTokens === this.completion && this.written === 0',
    replace: 'completionTokens === this.completion && (this.written === 0 || this.completion > 0)',
    tests: [METER, 'stays the same'],
  },
];
