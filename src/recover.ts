import 'reflect-metadata';

import { AuditEntry } from './faces/admin/audit-entry.entity';
import { AuditRepository } from './faces/admin/audit.repository';
import { SignedHeads } from './money/billing/transparency/kept-heads';
import { type Settings, settingsOfProcess } from './settings';
import { blobStoreOf } from './platform/storage/storage.module';
import { ChannelRecovery } from './money/billing/rails/channel/channel-recovery';
import { ChainUnavailable } from './money/billing/rails/x402/facilitators/chain';
import { HELP, orderOf } from './money/billing/rails/x402/after-restore/recovery-order';
import { lineOf, linesOf, outcomeOf } from './money/billing/rails/x402/after-restore/recovery-report';
import {
  CannotRecover,
  type ForgottenPayment,
  X402Recovery,
  chainsToSearch,
} from './money/billing/rails/x402/after-restore/x402-recovery';
import { usdText } from './kernel/money';
import { BadSettings } from './platform/config/variables';
import { ServiceDataSource, serviceOptions } from './platform/database/data-source';
import { Database, type Queries } from './platform/database/database';
import { DatabaseStartError } from './platform/database/database-start-error';
import { isPooled } from './platform/database/database-url';
import { openDatabase } from './platform/database/open-database';

const report = (line: string): void => {
  process.stdout.write(`${line}\n`);
};
const print = (line: string): void => {
  process.stderr.write(`${line}\n`);
};

/** Lists the payments on the chain since a given time that the database lacks. With `--credit` it credits them. */
const recover = async (
  recovery: X402Recovery,
  audit: AuditRepository,
  order: ReturnType<typeof orderOf>,
): Promise<void> => {
  const findings = await recovery.find(order.since, (block, newest) => {
    if (block < newest) print(`Searched up to block ${block} of ${newest}.`);
  });
  const { forgotten } = findings;
  for (const line of linesOf(findings)) report(line);
  const isMeant = ({ transaction }: ForgottenPayment): boolean =>
    order.only.length === 0 || order.only.includes(transaction);
  for (const payment of forgotten.filter(isMeant)) {
    const line = lineOf(payment);
    if (!order.credit) report(line);
    else report(`${line}: ${outcomeOf(await recovery.credit(payment, noteIn(audit, payment)))}`);
  }
  for (const named of order.only)
    if (!forgotten.some(({ transaction }) => transaction === named)) report(`Not forgotten: ${named}`);
  if (forgotten.length > 0 && !order.credit)
    report('With --credit each is credited to the wallet that paid it.');
};

/**
 * Lists the channels that the database lacks, or for which the chain has newer facts. With `--credit` it rebuilds them.
 */
const recoverChannels = async (recovery: ChannelRecovery, { since, credit }: ReturnType<typeof orderOf>) => {
  const lost = await recovery.find(since);
  report(`Payment channels to rebuild: ${lost.length}${lost.length > 0 ? ':' : '.'}`);
  for (const channel of lost) {
    const { channelId, state, charged } = channel;
    const known = charged === undefined ? 'unknown here' : `${usdText(charged)} known here`;
    const line = `  ${channelId}: ${usdText(state.claimed)} USDC claimed, ${known}`;
    if (!credit) report(line);
    else if (await recovery.rebuild(channel)) report(`${line}: rebuilt`);
    else report(`${line}: NOT REBUILT, because a call of it is being decided; run this again later`);
  }
  if (lost.length > 0 && !credit) report('With --credit they are rebuilt from the chain.');
};

/**
 * Reports whether a restored database lacks entries that the transparency log has signed. The log can't continue then.
 */
const reportLog = async (db: Database, settings: Settings): Promise<void> => {
  const log = await db.one<{ id: number; mark: string; origin: string; size: string }>(
    'select id, mark, origin, size from transparency_log order by id desc limit 1',
  );
  const head = log && (await new SignedHeads(blobStoreOf(settings), settings).ofDeployment(log.mark));
  if (log === undefined || head === undefined || (head.log === log.id && head.size <= Number(log.size)))
    return;
  report(
    `Transparency log: ${head.size} entries are signed, and the database has ${log.size} of ${log.origin}.`,
  );
  report(
    '  The service signs no shorter log. When it runs, it begins a new one that names the last checkpoint of the old one.',
  );
  report('  Keep the folder or bucket of the media as it is, and inform the readers of the log.');
};

/** Records a credit in the audit, because no operator made it through the pages. */
const noteIn =
  (audit: AuditRepository, { payer, amount, transaction }: ForgottenPayment) =>
  (queries: Queries, chargeId: string): Promise<unknown> =>
    audit.add(
      {
        action: 'credit',
        accountId: '',
        subject: `wallet ${payer}`,
        amount,
        reason: `Paid by ${transaction}, and forgotten; now ${chargeId}.`,
        operator: 'recover',
        requestId: '',
        ip: '',
      },
      queries,
    );

const main = async (): Promise<void> => {
  if (process.argv.includes('--help')) return report(HELP);
  const order = orderOf(process.argv.slice(2), new Date());
  const settings = settingsOfProcess();
  const chains = chainsToSearch(settings.x402);
  const database = await openDatabase(settings);
  const source = new ServiceDataSource(serviceOptions(database.url, { isPooled: isPooled(settings) }));
  try {
    await source.initialize();
    const opened = { ...settings, databaseUrl: database.url };
    const db = new Database(source, opened);
    const audit = new AuditRepository(db, source.getRepository(AuditEntry));
    await reportLog(db, settings);
    const isOne = settings.x402.networks.length === 1;
    for (const { network } of settings.x402.networks)
      if (!chains.some(({ x402 }) => x402.network === network))
        report(`${network}: no chain or no node to ask.`);
    for (const { chain, x402 } of chains) {
      if (!isOne) report(`${x402.network}:`);
      await recover(new X402Recovery(db, chain, x402), audit, order);
      await recoverChannels(new ChannelRecovery(db, chain, x402), order);
    }
  } finally {
    if (source.isInitialized) await source.destroy();
    await database.stop();
  }
};

const FOR_PEOPLE = [CannotRecover, ChainUnavailable, BadSettings, DatabaseStartError];

main().catch((error: unknown) => {
  const isForPeople = FOR_PEOPLE.some((kind) => error instanceof kind);
  print(isForPeople ? (error as Error).message : ((error as Error)?.stack ?? String(error)));
  process.exitCode = 1;
});
