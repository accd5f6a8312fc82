import { Inject, Injectable } from '@nestjs/common';

import { ScheduledProcessor } from '#platform/queue/scheduled-processor';
import { ownLines } from '#platform/signatures/signed-note';
import type { ChainNotary } from '../rails/x402/facilitators/facilitator';
import { Facilitators } from '../rails/x402/facilitators/facilitators';
import { AnchorRepository } from './anchor.repository';
import { TransparencyRepository } from './transparency.repository';
import type { TransparencyAnchor } from './transparency-anchor.entity';
import { SETTINGS } from '#platform/config/settings';
import type { NetworkSettings } from '#money/networks/networks.settings';
import type { TransparencySettings } from './transparency.settings';

const HOUR_MS = 3_600_000;

/** Writes one checkpoint a day on the chain, so that a later change of the history can be detected. */
@Injectable()
export class AnchorProcessor extends ScheduledProcessor {
  readonly name = 'transparency-anchor';
  readonly everyMs = HOUR_MS;

  constructor(
    private readonly anchors: AnchorRepository,
    private readonly log: TransparencyRepository,
    private readonly facilitators: Facilitators,
    @Inject(SETTINGS) private readonly settings: NetworkSettings & TransparencySettings,
  ) {
    super();
  }

  async run(): Promise<void> {
    const { notary } = this.facilitators.on(this.settings.x402.network);
    if (notary === undefined) return;
    const awaited = await this.anchors.awaited(this.settings.x402.network);
    await this.each(...awaited.map((anchor) => () => this.findBlock(notary, anchor)), async () => {
      if (this.settings.anchorMicro > 0n) await this.writeToday(notary);
    });
  }

  private async findBlock(notary: ChainNotary, { day, transaction }: TransparencyAnchor): Promise<void> {
    const block = await notary.blockOf(transaction as `0x${string}`);
    if (block !== undefined) await this.anchors.mined(day, block);
  }

  private async writeToday(notary: ChainNotary): Promise<void> {
    const log = await this.log.current();
    if (log?.note === undefined) return;
    const { id: logId, publishedSize: size } = log;
    const { anchorMicro, x402 } = this.settings;
    const note = ownLines(log.note, log.origin);
    const day = await this.anchors.claimToday({ logId, size, note, network: x402.network });
    if (day === undefined) return;
    const written = await notary.write(note, anchorMicro);
    if (written.outcome === 'sent') {
      await this.anchors.sent(day, written.transaction);
      return;
    }
    await this.anchors.release(day);
    this.logger.warn(
      written.outcome === 'too-expensive'
        ? 'The daily checkpoint costs more gas than TRANSPARENCY_ANCHOR_MICRO allows. It is tried again in an hour.'
        : 'The daily checkpoint could not be sent to the chain. It is tried again in an hour.',
    );
  }
}
