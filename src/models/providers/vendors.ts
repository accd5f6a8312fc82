import type { PartySettings } from '#platform/config/party';
import { anthropic } from './anthropic/anthropic.vendor';
import { bedrock } from './bedrock/bedrock.vendor';
import { bfl } from './bfl/bfl.vendor';
import { fal } from './fal/fal.vendor';
import { gemini } from './gemini/gemini.vendor';
import { mistral } from './mistral/mistral.vendor';
import { openaiCompatible } from './openai/openai-compatible.vendor';
import { openai } from './openai/openai.vendor';
import { replicate } from './replicate/replicate.vendor';
import { runway } from './runway/runway.vendor';
import { sandbox } from './sandbox/sandbox.vendor';
import type { Serves, Vendor, VendorKind } from './vendor';
import { vertex } from './vertex/vertex.vendor';
import { xai } from './xai/xai.vendor';
import type { CommonSettings } from '#platform/config/settings';

/** All vendors. The settings, the adapters, the check of the catalog and the smoke test use this list. */
export const VENDORS: (Vendor | VendorKind)[] = [
  sandbox,
  openai,
  openaiCompatible,
  fal,
  replicate,
  anthropic,
  gemini,
  mistral,
  xai,
  bedrock,
  vertex,
  bfl,
  runway,
];

/** The vendor of a configured provider. */
export const vendorOf = ({ kind, name }: PartySettings): Vendor => {
  const vendor = VENDORS.find((each) => each.name === kind);
  if (vendor === undefined) throw new Error(`No vendor is called ${kind}.`);
  return 'one' in vendor ? vendor.one(name) : vendor;
};

/**
 * The names of the enabled providers. The sandbox is enabled only without real providers, so simulated and real results
 * never mix.
 */
export const providersOn = ({ providers }: CommonSettings): ReadonlySet<string> =>
  new Set(providers.filter(({ isOn }) => isOn).map(({ name }) => name));

/** Whether the sandbox answers calls instead of real models. */
export const isSandboxOn = ({ providers }: CommonSettings): boolean =>
  providers.some(({ isOn, enabledBy }) => isOn && enabledBy === undefined);

/** The settings that enable vendors. Each of them disables the sandbox. */
export const vendorSwitches = (): readonly string[] =>
  VENDORS.flatMap((each) => ('one' in each ? each.listedIn.name : (each.enabledBy ?? [])));

/** The capabilities of each configured provider. */
export const servedBy = ({ providers }: CommonSettings): ReadonlyMap<string, Serves> =>
  new Map(providers.map((own) => [own.name, vendorOf(own).serves]));
