// Mistakes around channels, sweeps, batches and the client's budget, in the format of `bugs.mjs`. Each name begins with
// `money`.

const CLAIMS = 'test/channels/refused-claims.spec';
const LATE = 'test/channels/late-failures.spec';
const ODD = 'test/channels/odd-facilitator.spec';
const SWEPT = 'test/jobs/swept-rows.spec';
const SWEEPS = 'test/jobs/sweeps.spec';
const BATCHES = 'test/batches/batches.spec';
const CLIENT = 'test/clients/channels.spec';
const LOG = 'test/transparency/log.spec';
const LEAVES = 'test/transparency/leaves.spec';

export const MONEY_BUGS = [
  {
    name: 'money: a late failure by channel is credited before its claim',
    file: 'src/money/billing/rails/channel/channel.sql.ts',
    find: "rail = 'channel' and state = 'charged' and ${IS_CLAIMED}\n    returning *",
    replace: "rail = 'channel' and state = 'charged'\n    returning *",
    tests: [LATE, 'is credited once'],
  },
  {
    name: 'money: the table rule allows a credit of an unclaimed charge',
    file: 'migrations/1764000005720-proofs-look-up-rows.ts',
    find: 'h.claimed_micro >= v.total_micro',
    replace: 'h.claimed_micro >= 0',
    tests: [LATE, 'ignores the claim'],
  },
  {
    name: 'money: a refund that waits counts as settled',
    file: 'src/work/jobs/late-refunds.ts',
    find: '        await this.pauses.waits(LATE_REFUNDS, job.id, WAIT_SECONDS);\n        return;\n',
    replace: '        await this.pauses.waits(LATE_REFUNDS, job.id, WAIT_SECONDS);\n',
    tests: [LATE, 'is credited once'],
  },
  {
    name: 'money: the table rule knows no refund by channel',
    file: 'migrations/1764000005720-proofs-look-up-rows.ts',
    find: "or ((c.rail = 'x402' or (c.rail = 'channel' and exists",
    replace: "or ((c.rail = 'x402' or (c.rail = 'none' and exists",
    tests: [
      'test/contract/late-outcomes.spec',
      'credited: true is right in the books for channel \\(0\\), failed late',
    ],
  },
  {
    name: 'money: a contract wallet is asked as the relayer',
    file: 'src/money/billing/rails/x402/facilitators/local-channels.ts',
    find: "args.functionName === 'isValidSignature' ? BATCH_SETTLEMENT_ADDRESS : relayer().address",
    replace: 'relayer().address',
    tests: [CLAIMS, 'is foreseen'],
  },
  {
    name: 'money: a channel with a refused claim takes calls',
    file: 'src/money/billing/rails/channel/channel.rail.ts',
    find: "    if (isRefused(channel)) throw new ChannelRefused('claim_refused');\n",
    replace: '',
    tests: [CLAIMS, 'is remembered by the next call'],
  },
  {
    name: 'money: a claim between the looks of a late refund ends it',
    file: 'src/money/billing/rails/channel/channel.sql.ts',
    find: "rail = 'channel' and state = 'charged') as waits",
    replace: "rail = 'channel' and state = 'charged' and not ${IS_CLAIMED}) as waits",
    tests: ['test/channels/claim-between.spec', 'loses no refund'],
  },
  {
    name: 'money: a refused debt is due',
    file: 'src/money/billing/rails/channel/channel-claims.sql.ts',
    find: '      and claim_refused_at is null and (claim_failures = 0 or claim_until < now())\n',
    replace: '',
    tests: [CLAIMS, 'is no due debt'],
  },
  {
    name: 'money: a refused channel is claimed with the others',
    file: 'src/money/billing/rails/channel/channel-claims.ts',
    find: 'payerAuthorizer === ZERO_WALLET || claimRefusedAt !== undefined',
    replace: 'false && payerAuthorizer === ZERO_WALLET && claimRefusedAt !== undefined',
    tests: [CLAIMS, 'is no due debt'],
  },
  {
    name: 'money: a refused channel makes the claims of others single',
    file: 'src/money/billing/rails/channel/channel-claims.ts',
    find: 'const half = Math.floor(channels.length / 2);',
    replace: 'const half = Math.max(0, channels.length - 1);',
    tests: [CLAIMS, 'few transactions once'],
  },
  {
    name: 'money: a claim may use the gas of a hundred channels',
    file: 'src/money/billing/rails/x402/facilitators/local-channels.ts',
    find: 'const shared = settings.gasMax * BigInt(channels);',
    replace: 'const shared = settings.gasMax * 100n * BigInt(channels);',
    tests: [CLAIMS, 'never burns more gas'],
  },
  {
    name: 'money: a claim has no limit of its fee',
    file: 'src/money/billing/rails/x402/facilitators/local-channels.ts',
    find: "weiMaxOf(functionName === 'deposit' ? micro(args[1] as bigint) : worth, settings)",
    replace: "functionName === 'deposit' ? weiMaxOf(micro(args[1] as bigint), settings) : undefined",
    tests: [CLAIMS, 'waits while its fee'],
  },
  {
    name: 'money: contract wallets owe without a limit',
    file: 'src/money/billing/rails/channel/channel.sql.ts',
    find: "${contractDebt('c.network')} + d.price_micro <= $1::bigint",
    replace: "${contractDebt('c.network')} + d.price_micro - d.price_micro * 9 <= $1::bigint",
    tests: [CLAIMS, 'can cost no more'],
  },
  {
    name: 'money: an odd balance of a facilitator is believed',
    file: 'src/money/billing/rails/channel/channel-answers.ts',
    find: "if (typeof text !== 'string' || !/^\\d{1,19}$/.test(text)) return undefined;",
    replace: "if (typeof text !== 'string' || !/^-?\\d+$/.test(text)) return undefined;",
    tests: [ODD, 'states gets no number'],
  },
  {
    name: 'money: an odd hash of a deposit is stored',
    file: 'src/money/billing/rails/channel/channel-answers.ts',
    find: "typeof value === 'string' && /^0x[0-9a-fA-F]{64}$/.test(value)",
    replace: "typeof value === 'string'",
    tests: [ODD, 'transaction of a deposit'],
  },
  {
    name: 'money: failing refunds stay in front',
    file: 'src/work/jobs/late-refunds.ts',
    find: '      await this.pauses.failed(LATE_REFUNDS, job.id).catch(() => undefined);\n',
    replace: '',
    tests: [SWEEPS, 'of refund-sweep'],
  },
  {
    name: 'money: one medium that stays stops the deletion of the others',
    file: 'src/work/jobs/media-retention.processor.ts',
    find: '      await this.pauses.failed(MEDIA_DELETION, id);\n',
    replace: '      throw error;\n',
    tests: [SWEEPS, 'of media-retention'],
  },
  {
    name: 'money: overdue jobs that fail stay in front',
    file: 'src/work/jobs/due-jobs.repository.ts',
    find: '`deadline_at < now() and ${OF_NONE_OF} order by poll_at`',
    replace: '`deadline_at < now() and ${OF_NONE_OF} order by deadline_at`',
    tests: [SWEEPS, 'of job-poll'],
  },
  {
    name: 'money: the file of an open batch may be deleted',
    file: 'src/work/batches/batch.repository.ts',
    find: "select :id, :owner, :key, :payingKey, :endpoint, :file, :file, 'validating',",
    replace: "select :id, :owner, :key, :payingKey, :endpoint, :file, null, 'validating',",
    tests: [BATCHES, 'nobody can delete'],
  },
  {
    name: 'money: a line whose text is gone is never answered',
    file: 'src/work/batches/batch-line.repository.ts',
    find: 'from taken t left join batch_file_line f on',
    replace: 'from taken t join batch_file_line f on',
    tests: [BATCHES, 'text of a call is gone'],
  },
  {
    name: 'money: a voucher of a free call gives its budget back',
    file: 'clients/typescript/src/channel.ts',
    find: 'if (proven > (this.#counted.get(channelId) ?? 0)) await reservation.release();',
    replace: 'if (proven >= 0) await reservation.release();',
    tests: [CLIENT, 'hands out no more vouchers'],
  },
  {
    name: 'sweeps: a statement that fails handles no row alone',
    file: 'src/platform/queue/sweep-rows.repository.ts',
    find: '      return this.oneByOne(rows, values);',
    replace: '      throw error;',
    tests: [SWEPT, 'expired-replays'],
  },
  {
    name: 'sweeps: a row that fails ends the run',
    file: 'src/platform/queue/sweep-rows.repository.ts',
    find: '        await this.pauses.failed(step, id);',
    replace: '        throw error;',
    tests: [SWEPT, 'old-tries'],
  },
  {
    name: 'sweeps: a step that fails holds up the next ones',
    file: 'src/platform/queue/scheduled-processor.ts',
    find: 'await step().catch((error: unknown) => failures.push(error));',
    replace: 'await step();',
    tests: [SWEPT, 'reconciliation'],
  },
  {
    name: 'sweeps: an hour that fails is tried first each time',
    file: 'src/faces/health/model-health.repository.ts',
    find: '      await this.pauses.failed(UNFINISHED_HOURS, open.id);',
    replace: '      throw error;',
    tests: [SWEPT, 'unfinished-hours'],
  },
  {
    name: 'sweeps: five refused mails hold up all others',
    file: 'src/notices/alerts/alert-mails.processor.ts',
    find: "end.outcome !== 'failed' || end.isOfMail",
    replace: "end.outcome !== 'failed'",
    tests: [SWEPT, 'the server refuses for now'],
  },
  {
    name: 'sweeps: the pauses of rows that are done stay',
    file: 'src/platform/queue/sweep-rows.repository.ts',
    find: '    await this.pauses.ended(rows.step);',
    replace: '',
    tests: [SWEPT, 'dead-calls'],
  },
  {
    name: 'log: the history ends only at a moment without a charge',
    file: 'src/money/billing/transparency/log-sealer.ts',
    find: 'const isCaughtUp = ends.facts < BATCH;',
    replace: 'const isCaughtUp = ends.cursor === undefined;',
    tests: [LOG, 'caught up with the history'],
  },
  {
    name: 'log: a batch takes the entries of an account in the order of their transactions',
    file: 'migrations/1764000005600-sealing.ts',
    find: 'order by f.owner, before, f.seq',
    replace: 'order by f.owner, f.place, f.seq',
    tests: [LEAVES, 'by their numbers'],
  },
  {
    name: 'log: an entry is chained although its predecessor is gone',
    file: 'migrations/1764000005600-sealing.ts',
    find: 'if fact.seq is null or fact.seq = seq + 1 then',
    replace: 'if fact.seq is null or fact.seq > seq then',
    tests: [LEAVES, 'predecessor is gone'],
  },
];
