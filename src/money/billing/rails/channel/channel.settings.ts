import { micro } from '#kernel/money';
import type { NetworkVariables } from '#money/networks/networks.settings';
import { Flag, Pattern, Secret, Whole } from '#platform/config/variables';
import { type SettingsOf, defineSettings } from '#platform/config/settings';

class ChannelVariables {
  @Flag() readonly X402_CHANNELS: boolean = true;
  @Secret()
  @Pattern(/^0x[a-fA-F0-9]{64}$/, 'a private key of 32 bytes in hex')
  readonly X402_CHANNEL_KEY?: string;
  @Whole(900, 2_592_000) readonly X402_CHANNEL_WITHDRAW_SECONDS: number = 86_400;
  @Whole(10, 86_400) readonly X402_CHANNEL_CLAIM_SECONDS: number = 3_600;
  @Whole(1, 1_000_000_000_000) readonly X402_CHANNEL_CLAIM_MICRO: number = 10_000_000;
  @Whole(60, 31_536_000) readonly X402_CHANNEL_IDLE_SECONDS: number = 604_800;
}

export const channelSettings = defineSettings({
  variables: ChannelVariables,
  read: (env: ChannelVariables & NetworkVariables) => ({
    x402: {
      channels: {
        offered: env.X402_CHANNELS,
        /** The key that signs claims and refunds. Open channels name its address, so a new key can't claim them. */
        key: (env.X402_CHANNEL_KEY ?? env.X402_RELAYER_KEY) as `0x${string}` | undefined,
        withdrawSeconds: env.X402_CHANNEL_WITHDRAW_SECONDS,
        claimSeconds: env.X402_CHANNEL_CLAIM_SECONDS,
        claimMin: micro(BigInt(env.X402_CHANNEL_CLAIM_MICRO)),
        idleSeconds: env.X402_CHANNEL_IDLE_SECONDS,
      },
    },
  }),
});

export type ChannelSettings = SettingsOf<typeof channelSettings>;
