import { Logger } from '@nestjs/common';

import type { ChainOutcome, SettleAttempt } from '../facilitators/facilitator';
import type { Facilitators } from '../facilitators/facilitators';
import { PaymentSender } from './payment-sender';
import type { ClaimedPayment } from '../proof/signed-payment';
import type { X402PaymentRepository } from './x402-payment.repository';

const FAILED: SettleAttempt = { outcome: 'refused', fault: 'refused', wasted: true };
const PAID = { outcome: 'settled', transaction: '0xab', logIndex: 0 } as const;

const outcomesOf = (attempts: readonly SettleAttempt[]): string[] => attempts.map(({ outcome }) => outcome);

/** A facilitator that answers when the test says so, and a record of the wasted fees. */
class Stage {
  readonly settling: ((attempt: SettleAttempt) => void)[] = [];
  readonly wasted: string[] = [];
  truth: ChainOutcome = { outcome: 'unsettled', final: false };
  readonly sender: PaymentSender;

  constructor(paysGas = true) {
    const payments = {
      isWasteful: (payer: string) => Promise.resolve(this.wasted.filter((of) => of === payer).length >= 3),
      wasted: (payer: string) => Promise.resolve(void this.wasted.push(payer)),
    };
    const facilitator = {
      paysGas,
      settle: () => new Promise<SettleAttempt>((resolve) => this.settling.push(resolve)),
      outcome: () => Promise.resolve(this.truth),
    };
    this.sender = new PaymentSender(
      payments as unknown as X402PaymentRepository,
      { on: () => facilitator } as unknown as Facilitators,
    );
  }

  send(payer = '0x1', settleAttempts = 1): Promise<SettleAttempt> {
    return this.sender.send({ payer, settleAttempts } as ClaimedPayment);
  }

  async begun(): Promise<number> {
    await new Promise((resolve) => setImmediate(resolve));
    return this.settling.length;
  }

  /** Answers all waiting settlements, and later ones. */
  async answer(attempt: SettleAttempt): Promise<void> {
    while ((await this.begun()) > 0) this.settling.splice(0).forEach((resolve) => resolve(attempt));
  }
}

describe('settlements that cost us gas', () => {
  beforeAll(() => Logger.overrideLogger(false));

  it('go three at a time for one payer, and wait for no other', async () => {
    const stage = new Stage();
    const sent = [1, 2, 3, 4, 5].map(() => stage.send('0x1'));
    const other = stage.send('0x2');

    const begun = await stage.begun();
    await stage.answer(PAID);

    expect(begun).toBe(4);
    expect(outcomesOf(await Promise.all([...sent, other]))).toEqual(Array(6).fill('settled'));
  });

  it('are no longer sent for a payer for whom three have failed', async () => {
    const stage = new Stage();
    const sent = [1, 2, 3, 4, 5].map(() => stage.send());

    await stage.answer(FAILED);

    const faults = (await Promise.all(sent)).map((attempt) => 'fault' in attempt && attempt.fault);
    expect(faults).toEqual(['refused', 'refused', 'refused', 'wasteful', 'wasteful']);
  });

  it('are no fault of a payer whose payment somebody else has sent out first', async () => {
    const stage = new Stage();
    stage.truth = PAID;
    const sent = stage.send();

    await stage.answer(FAILED);

    expect([await sent, stage.wasted]).toEqual([PAID, []]);
  });

  it('of one payer do not hold up a sweep', async () => {
    const stage = new Stage();
    const first = [1, 2, 3].map(() => stage.send());
    await stage.begun();

    const again = await stage.send('0x1', 2);
    await stage.answer(PAID);

    expect(again).toEqual({ outcome: 'unknown', why: 'queue_full' });
    expect(outcomesOf(await Promise.all(first))).toEqual(Array(3).fill('settled'));
  });

  it('are not counted where they cost us nothing', async () => {
    const stage = new Stage(false);
    const sent = [1, 2, 3, 4].map(() => stage.send());

    const begun = await stage.begun();
    await stage.answer(FAILED);

    expect([begun, stage.wasted]).toEqual([4, []]);
    await Promise.all(sent);
  });
});
