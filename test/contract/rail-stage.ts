import { channelStage } from '../channels/channel-world';
import { World } from '../support/world';

/** A listening service on which the callers of a way to pay can pay. */
export interface RailStage {
  readonly world: World;
  readonly url: string;
  stop(): Promise<void>;
}

/** Channels need a chain. All other ways to pay use the sandbox. */
export const railStage = async (
  way: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<RailStage> => {
  if (way === 'channel') return channelStage(settings);
  const world = await World.start(settings);
  return { world, url: await world.listen(), stop: () => world.stop() };
};
