import { Inject, Injectable } from '@nestjs/common';

import { type Micro, ceilDiv, larger, micro, smaller } from '#kernel/money';
import type { AudioModel } from './catalog-models';
import { codePoints } from './token-estimate';
import { AbovePriceCap } from './catalog.errors';
import type { PricedCall } from './priced-call';
import type { PriceRules, PriceSettings } from './prices.settings';
import { SETTINGS } from '#platform/config/settings';

const PER_MILLION = 1_000_000n;

/** The provider's cost of speech, by the characters of its text. A fraction of a micro-USD is rounded up. */
export const speechCost = (perMillion: Micro, chars: number): Micro =>
  micro(ceilDiv(BigInt(chars) * perMillion, PER_MILLION));

const SECONDS_PER_HOUR = 3_600n;

/** A part of a second is billed as a whole second. */
const billed = (seconds: number): bigint => BigInt(Math.ceil(seconds));

/** The provider's cost of a transcript, by the seconds of its recording. A fraction of a micro-USD is rounded up. */
export const transcriptionCost = (perHour: Micro, seconds: number): Micro =>
  micro(ceilDiv(billed(seconds) * perHour, SECONDS_PER_HOUR));

/** Prices audio calls, for quotes and for billing alike. The markup, floor and cap are those of media. */
@Injectable()
export class AudioPriceCalculator {
  private readonly rules: PriceRules;

  constructor(@Inject(SETTINGS) settings: PriceSettings) {
    this.rules = settings.price;
  }

  speech(model: AudioModel, input: string): PricedCall {
    const chars = codePoints(input);
    const list = this.share(model, BigInt(chars), PER_MILLION, 'input');
    const cost = speechCost(model.unitCost, chars);
    return this.priced(model, { input: `speech|${chars}`, list, cost });
  }

  transcription(model: AudioModel, seconds: number): PricedCall {
    const list = this.share(model, billed(seconds), SECONDS_PER_HOUR, 'file');
    const cost = transcriptionCost(model.unitCost, seconds);
    return this.priced(model, { input: `transcription|${billed(seconds)}`, list, cost });
  }

  /** The list price of an amount of units, with one rounding at the end. */
  private share({ unitCost, markup }: AudioModel, amount: bigint, unit: bigint, param: string): Micro {
    const { mediaMarkup, mediaFloor, mediaCap } = this.rules;
    const { times, over } = markup ?? mediaMarkup;
    const list = larger(mediaFloor, micro(ceilDiv(amount * unitCost * times, over * unit)));
    if (markup === undefined && list > mediaCap) throw new AbovePriceCap(param);
    return list;
  }

  private priced(
    { id, isListed, adultsOnly, kind }: AudioModel,
    line: Pick<PricedCall, 'input' | 'list'> & { readonly cost: Micro },
  ): PricedCall {
    // A discount never takes the price below the cost.
    const floor = larger(this.rules.mediaFloor, smaller(line.list, line.cost));
    return { modelId: id, isListed, adultsOnly, mode: kind, floor, live: false, ...line };
  }
}
