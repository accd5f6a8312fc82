import type { View } from '#people/keys/visible-rows';
import type { EventType } from './event-types';

/** All members share the library of references, and may use the models of the owner. */
const SHARED: readonly EventType[] = [
  'reference.ready',
  'model.changed',
  'model.unavailable',
  'model.retired',
];
export const isShared = (type: EventType): boolean => SHARED.includes(type);

/** Events of the money of the whole owner: no call, key or endpoint of a developer causes them. */
const OF_OWNER: readonly EventType[] = ['balance.topped_up', 'top_up.failed', 'balance.low', 'spend.high'];
/** These name no key that caused them, so no delegated key gets them. */
const OF_NO_KEY: readonly EventType[] = [...OF_OWNER, 'key.limit_near', 'key.expiring', ...SHARED];

/** The types of which a view never contains an event. */
export const unseenTypes = ({ onlyKey, onlyMember }: View): readonly EventType[] => {
  if (onlyKey !== undefined) return OF_NO_KEY;
  return onlyMember === undefined ? [] : OF_OWNER;
};
