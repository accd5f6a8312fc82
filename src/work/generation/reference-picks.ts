import { Injectable } from '@nestjs/common';

import type { MediaModel } from '#models/catalog/catalog-models';
import { optionsOf } from '#models/catalog/media-price-calculator';
import { InvalidRequest } from '#kernel/app-error';
import type { MatchedReference } from '#work/references/reference';
import type { Reference } from '#work/references/reference.entity';
import { ReferenceLibrary } from '#work/references/reference-library';
import { type InputName, type MediaAsk, emptyInputs, isLonger, kindOfInput } from './media-request';

/** A reference and the input that it fills. */
export interface Pick {
  readonly input: InputName;
  readonly reference: Reference;
  /** Absent if the caller pinned the reference. */
  readonly score?: number;
}

/** Chooses references for the empty media inputs of a call: pinned references first, then the best matches. */
@Injectable()
export class ReferencePicks {
  constructor(private readonly library: ReferenceLibrary) {}

  async of(owner: string, model: MediaModel, body: MediaAsk, local: boolean): Promise<readonly Pick[]> {
    const seconds = optionsOf(model, body).seconds;
    const pinned = pinsFor(model, body, seconds, await this.library.pinned(owner, body.referenceIds ?? []));
    const empty = emptyInputs(model, body).filter((name) => pinned.every(({ input }) => input !== name));
    if (body.useReferences !== true || empty.length === 0 || (local && this.library.searchesOutside))
      return pinned;
    const matches = (await this.library.matches(owner, body.prompt ?? '')).filter(
      ({ reference }) =>
        pinned.every((pick) => pick.reference.id !== reference.id) && fits(reference, seconds),
    );
    return [...pinned, ...empty.map((input) => ({ input, ...bestFor(input, matches, model) }))];
  }
}

const fits = ({ seconds }: Reference, billed: number | undefined): boolean =>
  billed === undefined || !isLonger(seconds, billed);

const pinsFor = (
  model: MediaModel,
  body: MediaAsk,
  seconds: number | undefined,
  references: readonly Reference[],
): readonly Pick[] => {
  const empty = [...emptyInputs(model, body)];
  return references.map((reference, at) => {
    const param = `referenceIds[${at}]`;
    const index = empty.findIndex((name) => kindOfInput(name) === reference.kind);
    if (index === -1) {
      throw new InvalidRequest(`${param}: ${model.id} has no empty input for this ${reference.kind}.`, {
        param,
      });
    }
    if (!fits(reference, seconds)) {
      throw new InvalidRequest(`${param} is longer than the ${seconds} seconds that duration bills.`, {
        param,
      });
    }
    return { input: empty.splice(index, 1)[0]!, reference };
  });
};

/** Takes the best reference out of the list, so that the next input gets another one. */
const bestFor = (input: InputName, matches: MatchedReference[], model: MediaModel): MatchedReference => {
  const at = matches.findIndex(({ reference }) => reference.kind === kindOfInput(input));
  if (at === -1) {
    throw new InvalidRequest(
      `${model.id} needs ${input}, and no reference of yours is close enough to the prompt. Send one, or pin a ` +
        'reference with referenceIds.',
      { param: input },
    );
  }
  return matches.splice(at, 1)[0]!;
};
