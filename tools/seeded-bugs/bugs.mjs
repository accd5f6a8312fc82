// Mistakes that services like this one have shipped. Each is one edit, and the few tests that must not survive it.
// `find` stands in its file exactly once; when the code has moved on, the edit must move with it.

const LEDGER = 'test/database/ledger.spec';
const CONTRACT = 'test/contract/rails.spec';

export const BUGS = [
  {
    name: 'a settlement nobody knows of is taken for a dead one',
    file: 'src/billing/rails/x402/x402-settlement.ts',
    find: "return this.doubt(payment, attempt.outcome === 'unknown' ? attempt.why : `refused_${fault}`);",
    replace: 'return this.fail(payment, fault);',
    tests: ['test/x402/http.spec', 'never guesses'],
  },
  {
    name: 'the facilitator is believed where the chain shows nothing',
    file: 'src/billing/rails/x402/facilitators/http-facilitator.ts',
    find: "return { outcome: 'unknown', why: 'unconfirmed' };",
    replace: "return { outcome: 'settled', transaction: `0x${'ab'.repeat(32)}` };",
    tests: ['test/x402/http.spec', 'believes no success'],
  },
  {
    name: '402 where nobody knows whether the money moved',
    file: 'src/billing/charges/charge.service.ts',
    find: 'throw new SettlementPending(draft.id, settlement.error);',
    replace: "throw new KeySpendLimit('');",
    tests: ['test/faults/chain.spec', 'the node goes while'],
  },
  {
    name: 'the answer leaves before the money is settled',
    file: 'src/billing/calls/charge.interceptor.ts',
    find: 'await this.settle(call, held, { status: 200',
    replace: 'void this.settle(call, held, { status: 200',
    tests: [CONTRACT, 'charges exactly the price'],
  },
  {
    name: 'a balance is read, reckoned and written back',
    file: 'src/billing/ledger/ledger.sql.ts',
    find: 'update ledger_account set balance_micro = balance_micro - $8::bigint, last_seq = last_seq + 1\n    where id',
    replace:
      'update ledger_account set last_seq = last_seq + 1,\n' +
      '      balance_micro = (select b.balance_micro - $8::bigint from ledger_account b where b.id = $5::text)\n    where id',
    tests: [LEDGER, 'spends exactly what there is'],
  },
  {
    name: 'a call that its batch left out is served all the same',
    file: 'src/billing/ledger/ledger.repository.ts',
    find: 'return balance === undefined ? undefined : { ok: true, balance };',
    replace: 'return { ok: true, balance: balance ?? micro(0n) };',
    tests: [LEDGER, 'gives the last micro'],
  },
  {
    name: 'the mark of a call is not kept',
    file: 'src/billing/ledger/ledger.repository.ts',
    find: '  draft.fingerprint,\n  draft.mark,\n];',
    replace: '  draft.fingerprint,\n  undefined,\n];',
    tests: [CONTRACT, 'gives one answer to one mark'],
  },
  {
    name: 'a mark answers whatever body comes with it',
    file: 'src/billing/calls/earlier-calls.ts',
    find: 'if (charge !== undefined && !charge.fingerprint.equals(call.fingerprint)) {',
    replace: 'if (charge === null) {',
    tests: [CONTRACT, 'gives one answer to one mark'],
  },
  {
    name: 'a signature pays whatever body comes with it',
    file: 'src/billing/rails/x402/x402.rail.ts',
    find: 'if (first === undefined || first.fingerprint.equals(call.fingerprint)) {',
    replace: 'if (first === undefined || first.sameNonce) {',
    tests: [CONTRACT, 'takes one signature once'],
  },
  {
    name: 'a payment is known by the spelling of its header',
    file: 'src/billing/rails/x402/payment-header.ts',
    find: 'nonce: nonce.toLowerCase() as Hex,',
    replace: 'nonce: `0x${Buffer.from(signature + nonce).subarray(-32).toString("hex")}` as Hex,',
    tests: ['test/x402/payments.spec', 'in whichever spelling'],
  },
  {
    name: 'open calls of a payer are not counted against what it holds',
    file: 'migrations/1764000000400-x402.ts',
    find: 'open_micro = 0 or balance_seen_micro is null',
    replace: 'true or open_micro = 0 or balance_seen_micro is null',
    tests: ['test/x402/sandbox.spec', 'runs only as many parallel calls'],
  },
  {
    name: 'a refund does not look whether it was made before',
    file: 'src/billing/ledger/ledger.sql.ts',
    find: "where id = $1 and state = '${from}' and account_id is not null",
    replace: 'where id = $1 and account_id is not null',
    tests: [LEDGER, 'refunds once when twenty'],
  },
  {
    name: 'nobody sweeps',
    file: 'src/billing/sweeps/charge-sweep.processor.ts',
    find: 'const first = await this.charges.takeAbandoned(LANES);',
    replace: 'const first: Charge[] = [];',
    // The fault suite notices too, but only when its patience ends.
    project: 'unit',
    tests: ['src/billing/sweeps/charge-sweep.processor.spec', ''],
  },
  {
    name: 'leases are read from the clock of the process',
    file: 'src/billing/charges/charge.repository.ts',
    find: "state in ('held', 'settling') and lease_until < now()\n",
    replace: "state in ('held', 'settling') and lease_until < '${new Date().toISOString()}'::timestamptz\n",
    tests: ['test/faults/clocks.spec', ''],
  },
  {
    name: 'what a deadlock has undone is taken for done',
    file: 'src/platform/database/retry.ts',
    find: 'if (attempt === TRIES || !isRetryable(error)) throw error;',
    replace: 'if (isRetryable(error)) return [] as T;\n      if (attempt === TRIES) throw error;',
    tests: ['test/platform/database.spec', ''],
  },
  {
    name: 'the hold of a job in doubt is given back',
    file: 'src/billing/charges/charge.service.ts',
    find: 'if (error instanceof WorkInDoubt) {',
    replace: 'if (error === undefined || (error instanceof WorkInDoubt && draft.id === "")) {',
    tests: ['test/faults/paid-job.spec', 'neither given back'],
  },
  {
    name: 'the spend limit of a key is not looked at',
    file: 'migrations/1764000000200-money.ts',
    find: 'if allowed is not null and allowed < (',
    replace: 'if false and allowed < (',
    tests: [LEDGER, "keeps to a key's spend limit"],
  },
  {
    name: 'one payment is credited each time it is told of',
    file: 'src/billing/ledger/ledger.repository.ts',
    find: '[accountId, amount, source, transaction],',
    replace: '[accountId, amount, `${source}:${Math.random()}`, transaction],',
    tests: [LEDGER, 'credits one payment once'],
  },
  {
    name: 'a quote is honoured for anybody',
    file: 'src/billing/quotes/price-lock.ts',
    find: "if (lockedPayer !== '' && lockedPayer !== payer) {",
    replace: 'if (lockedPayer === payer) {',
    tests: [CONTRACT, "another payer's"],
  },
];
