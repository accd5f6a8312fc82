interface Known<Key, Value> {
  get(key: Key): Value | undefined;
  set(key: Key, value: NoInfer<Value>): unknown;
}

/** The value of the key in the map. If there is none, makes it and adds it. */
export const getOrMake = <Key, Value>(map: Known<Key, Value>, key: Key, make: () => Value): Value => {
  let value = map.get(key);
  if (value === undefined) {
    value = make();
    map.set(key, value);
  }
  return value;
};

/** The items by their keys, in the order of the first item of each key. */
export const groupBy = <Key, Item>(items: Iterable<Item>, keyOf: (item: Item) => Key): Map<Key, Item[]> => {
  const groups = new Map<Key, Item[]>();
  for (const item of items) getOrMake(groups, keyOf(item), () => []).push(item);
  return groups;
};
