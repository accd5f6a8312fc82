import type { VendorNames } from '../catalog-models';
import type { OfferedModel } from './offered-model';
import { baseOf, makersIdOf } from './release-names';
import type { VendorList } from './vendor-list.entity';

/** The operator's choice of models, by patterns of `vendor/name`. */
export interface Choice {
  readonly only: readonly string[];
  readonly without: readonly string[];
}

/** Looks for the parts between stars one after the other. A regular expression with many stars could take for ever. */
const partsMatcher = (pattern: string): ((name: string) => boolean) => {
  const [first = '', ...rest] = pattern.split('*');
  const last = rest.pop();
  if (last === undefined) return (name) => name === first;
  return (name) => {
    let at = first.length;
    if (!name.startsWith(first)) return false;
    for (const part of rest) {
      const found = name.indexOf(part, at);
      if (found < 0) return false;
      at = found + part.length;
    }
    return name.length - last.length >= at && name.endsWith(last);
  };
};

const matcherOf = (patterns: readonly string[]): ((name: string) => boolean) => {
  const all = patterns.map(partsMatcher);
  return (name) => all.some((each) => each(name));
};

/** The names of a model that the operator's patterns may match. */
const namesAt = (vendor: string, model: OfferedModel): readonly string[] =>
  [...new Set([model.id, makersIdOf(model), baseOf(model)])].map((name) => `${vendor}/${name}`);

/** The setting that leaves a model of a vendor out. Undefined if none does. */
export const leftOutBy = ({
  only,
  without,
}: Choice): ((vendor: string, model: OfferedModel) => string | undefined) => {
  if (only.length === 0 && without.length === 0) return () => undefined;
  const [isWanted, isUnwanted] = [matcherOf(only), matcherOf(without)];
  return (vendor, model) => {
    const names = namesAt(vendor, model);
    if (only.length > 0 && !names.some(isWanted)) return 'CATALOG_ONLY';
    return names.some(isUnwanted) ? 'CATALOG_WITHOUT' : undefined;
  };
};

/** The operator's patterns that match no model of any list, such as misspelt ones. */
export const idlePatterns = (
  { only, without }: Choice,
  lists: readonly Pick<VendorList, 'vendor' | 'models'>[],
): readonly string[] => {
  const names = lists.flatMap(({ vendor, models }) => models.flatMap((model) => namesAt(vendor, model)));
  return [...new Set([...only, ...without])].filter((pattern) => !names.some(partsMatcher(pattern)));
};

/** Whether a name of a vendor can be shown: without controls, marks of direction and other characters that nobody sees. */
export const isShowable = (name: string): boolean =>
  /^[\x20-\x7e\xa1-\u1fff\u2c00-\uabff]{1,100}$/.test(name) && !/[\p{Cf}\p{DI}]/u.test(name);

/** A dated model also has its name without the day. */
export const namesOf = (model: OfferedModel): readonly string[] => [
  model.id,
  makersIdOf(model),
  baseOf(model),
  ...(model.aliases ?? []),
];

export const namesIn = (lists: readonly Pick<VendorList, 'vendor' | 'models'>[]): VendorNames =>
  new Map(
    lists.map(({ vendor, models }) => {
      const present = models.filter(({ goneOn }) => goneOn === undefined);
      return [vendor, new Set(present.flatMap(namesOf))];
    }),
  );

/**
 * The names of the models that the operator's patterns leave out. A name in a list means the model of the list. So aliases
 * of our models are also among these names if the model of the list has no price.
 */
export const leftOutNames = (
  lists: readonly VendorList[],
  choice: Choice,
  aliases: ReadonlySet<string>,
): ReadonlySet<string> => {
  const leftOut = leftOutBy(choice);
  return new Set(
    lists.flatMap(({ vendor, models }) =>
      models.flatMap((model) => {
        if (leftOut(vendor, model) !== undefined) return namesOf(model);
        const isUnpriced = model.rates === undefined && model.goneOn === undefined;
        return isUnpriced ? namesOf(model).filter((name) => aliases.has(name)) : [];
      }),
    ),
  );
};

/**
 * The models that are not for sale because of their price: it is held, or is none after a sale. Each of their names has
 * the name to show.
 */
export const heldNames = (lists: readonly VendorList[], choice: Choice): ReadonlyMap<string, string> => {
  const leftOut = leftOutBy(choice);
  return new Map(
    lists.flatMap(({ vendor, models }) =>
      models
        .filter(
          ({ held, lastRates, rates, goneOn }) =>
            (held ?? lastRates) !== undefined && rates === undefined && goneOn === undefined,
        )
        .filter((model) => leftOut(vendor, model) === undefined)
        .flatMap((model) =>
          [model.id, makersIdOf(model), baseOf(model)].map(
            (id) => [id, isShowable(model.name ?? '') ? model.name! : id] as const,
          ),
        ),
    ),
  );
};
