import { freePort } from '../../tools/chain/free-port';
import { type LocalChain, startLocalChain } from '../../tools/chain/local-chain';
import { World } from '../support/world';

export const PAY_TO = '0x000000000000000000000000000000000000bEEF';

/** The settings of a process that runs channels on a local chain. */
export const channelSettings = (chain: LocalChain): Record<string, string> => ({
  X402_FACILITATOR: 'local',
  X402_RPC_URL: chain.rpcUrl,
  X402_RELAYER_KEY: chain.accounts[0]!.privateKey,
  X402_PAY_TO: PAY_TO,
  X402_CHANNEL_WITHDRAW_SECONDS: '900',
});

export interface ChannelStage {
  readonly chain: LocalChain;
  readonly world: World;
  readonly url: string;
  /** The settings of a second process on the same chain. */
  readonly settings: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

const chains = new WeakMap<World, LocalChain>();

/** The chain of a world that `channelStage` has started. */
export const chainOf = (world: World): LocalChain => {
  const chain = chains.get(world);
  if (chain === undefined) throw new Error('This world has no chain: start it with channelStage.');
  return chain;
};

/** The service with its own local chain, at a real address. */
export const channelStage = async (more: Readonly<Record<string, string>> = {}): Promise<ChannelStage> => {
  const chain = await startLocalChain();
  const port = await freePort();
  const world = await World.start({
    PUBLIC_URL: `http://127.0.0.1:${port}`,
    ...channelSettings(chain),
    ...more,
  });
  chains.set(world, chain);
  const url = await world.listen(port);
  return {
    chain,
    world,
    url,
    settings: { PUBLIC_URL: `http://127.0.0.1:${port}`, ...channelSettings(chain), ...more },
    stop: async () => {
      await world.stop();
      await chain.stop();
    },
  };
};
