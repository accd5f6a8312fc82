import { withoutAbsent } from '#kernel/present';
import type { OfferedModel } from './offered-model';

/** A model that left the list is shown as retired for so long. */
const GONE_DAYS = 90;
const DAY_MS = 86_400_000;
/** A list without most of its models is believed after so many readings, which are at least this time apart. */
const MISSING_TIMES = 3;
const MISSING_EVERY_MS = 1_800_000;

/** The day of UTC. */
export const dayOf = (now: Date): string => now.toISOString().slice(0, 10);

/** A model of the list before that is missing now. */
const missingAgain = (model: OfferedModel, now: Date): OfferedModel => {
  const { missing } = model;
  if (missing !== undefined && now.getTime() - Date.parse(missing.at) < MISSING_EVERY_MS) return model;
  const times = (missing?.times ?? 0) + 1;
  return times < MISSING_TIMES
    ? { ...model, missing: { times, at: now.toISOString() } }
    : withoutAbsent({ ...model, missing: undefined, goneOn: dayOf(now) });
};

/** Whether calls may go to a model of a stored list. */
const isSold = ({ rates, isMedia }: OfferedModel): boolean => rates !== undefined || isMedia === true;

/** A model that left while its price was held or none has the prices at which it was sold. So it retires as others do. */
const atLastRates = (model: OfferedModel): OfferedModel => {
  if (isSold(model)) return model;
  const { lastRates: rates, held: _held, heldAt: _heldAt, why: _why, ...rest } = model;
  return withoutAbsent({ ...rest, rates });
};

/** The rest of the list before. If more than half of its models are missing at once, they stay for sale for a while. */
export const leftOf = (
  ids: ReadonlySet<string>,
  before: readonly OfferedModel[],
  now: Date,
): readonly OfferedModel[] => {
  const kept = dayOf(new Date(now.getTime() - GONE_DAYS * DAY_MS));
  const sold = before.filter((model) => isSold(model) && model.goneOn === undefined);
  const missing = sold.filter(({ id }) => !ids.has(id));
  const isLoss = missing.length * 2 > sold.length;
  return before
    .filter(
      (model) =>
        !ids.has(model.id) &&
        (isSold(model) || model.lastRates !== undefined) &&
        (model.goneOn ?? dayOf(now)) >= kept,
    )
    .map((model) => {
      if (model.goneOn !== undefined) return model;
      // The models of an earlier loss stay too, even if the list has gained others since.
      return isSold(model) && (isLoss || model.missing !== undefined)
        ? missingAgain(model, now)
        : withoutAbsent({ ...atLastRates(model), missing: undefined, goneOn: dayOf(now) });
    });
};
