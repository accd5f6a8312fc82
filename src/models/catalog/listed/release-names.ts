import type { ListedModel } from '#models/providers/models/listed-model';

const MONTH = '(?:0[1-9]|1[0-2])';
const DAY = '(?:0[1-9]|[12]\\d|3[01])';

/** The endings of a name that mean a release of the model, not another model. Four digits are a month with its year, or a day. */
const RELEASE = new RegExp(
  `-(?:20\\d{6}|20\\d{2}-\\d{2}-\\d{2}|${MONTH}-20\\d{2}|2\\d${MONTH}|${MONTH}${DAY}|0\\d{2}|latest)$`,
);

type Named = Pick<ListedModel, 'id' | 'makersId'>;

export const makersIdOf = ({ id, makersId = id }: Named): string => makersId;

/** A name without the day of its release. */
export const baseOf = (model: Named): string => makersIdOf(model).replace(RELEASE, '');

/** The parts of a name, without its release. */
const partsOf = (id: string): readonly string[] => baseOf({ id }).split(/[-._:/@]/);
const isNumber = (part: string): boolean => /^v?\d+$/.test(part);

/** A name without its numbers: `claude haiku` of `claude-3-haiku` and of `claude-haiku-4-5`. */
export const wordsOf = (id: string): string =>
  partsOf(id)
    .filter((part) => !isNumber(part))
    .join(' ');

/** The numbers of a name, without those that are days, as a text that can be compared. */
export const versionOf = (id: string): string =>
  partsOf(id)
    .filter((part) => isNumber(part) && part.length < 4)
    .map((part) => part.replace('v', '').padStart(3, '0'))
    .join('.');
