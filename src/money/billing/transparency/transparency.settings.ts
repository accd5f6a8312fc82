import { micro } from '#kernel/money';
import { type NetworkVariables, networkProblems, networksOf } from '#money/networks/networks.settings';
import type { SandboxMixVariables } from '#platform/config/sandbox-mix.settings';
import { listOf } from '#platform/config/setting';
import { Text, Whole } from '#platform/config/variables';
import { COSIGNATURE, parseVerifierKey } from '#platform/signatures/signed-note';
import { type SettingsOf, defineSettings, needs } from '#platform/config/settings';

class TransparencyVariables {
  @Text(8_000) readonly TRANSPARENCY_WITNESSES?: string;
  @Whole(0, 1_000_000_000) readonly TRANSPARENCY_ANCHOR_MICRO: number = 0;
}

/** A witness is written as its address, a space and its verifier key. */
const witnessesOf = (text: string | undefined) =>
  listOf(text).map((pair) => {
    const [url = '', key = ''] = pair.split(/ +/);
    return { url, key };
  });

const anchorProblems = (
  env: TransparencyVariables & NetworkVariables & SandboxMixVariables,
): readonly string[] => {
  if (env.TRANSPARENCY_ANCHOR_MICRO === 0) return [];
  const [first] = networkProblems(env).length > 0 ? [] : networksOf(env);
  return [
    ...needs(env, true, 'with TRANSPARENCY_ANCHOR_MICRO', 'X402_NATIVE_USD'),
    ...(first !== undefined && first.facilitator !== 'local'
      ? ['TRANSPARENCY_ANCHOR_MICRO needs X402_FACILITATOR=local, whose relayer sends the transaction']
      : []),
  ];
};

export const transparencySettings = defineSettings({
  variables: TransparencyVariables,
  problems: (env: TransparencyVariables & NetworkVariables & SandboxMixVariables) => [
    ...anchorProblems(env),
    ...witnessesOf(env.TRANSPARENCY_WITNESSES)
      .filter(({ url, key }) => !/^https?:\/\/./.test(url) || parseVerifierKey(key)?.type !== COSIGNATURE)
      .map(
        () =>
          'TRANSPARENCY_WITNESSES must list witnesses, each its http or https address, a space and its verifier key, ' +
          'with commas between them',
      ),
  ],
  read: (env: TransparencyVariables) => ({
    /** The witnesses that cosign checkpoints of the transparency log. */
    witnesses: witnessesOf(env.TRANSPARENCY_WITNESSES),
    /** The highest cost of the daily checkpoint of the transparency log on the chain. If it is 0, none is written. */
    anchorMicro: micro(BigInt(env.TRANSPARENCY_ANCHOR_MICRO)),
  }),
});

export type TransparencySettings = SettingsOf<typeof transparencySettings>;
