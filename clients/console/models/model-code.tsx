import { type ShownCall, type Values, samplesOf } from '../parts/call-code.ts';
import { CodeTabs } from '../parts/code-tabs.tsx';
import type { MediaModel } from './media-options.tsx';
import { facts } from '../parts/shell.tsx';

/** The route that makes texts at an exact price. */
const CHAT = { base: facts.publicUrl, path: '/v1/agent/chat', tool: 'chat', isPaidByX402: true };

/** The route that makes images and videos. */
const mediaRoute = (isImage: boolean) => ({
  base: facts.publicUrl,
  path: '/v1/agent/generate',
  tool: isImage ? 'generate_image' : 'generate_video',
  isPaidByX402: true,
});

/** The inputs that a mode needs besides a prompt. */
const SOURCES: Readonly<Record<string, readonly string[]>> = {
  i2i: ['image'],
  i2v: ['image'],
  swap: ['image', 'image2'],
  motion: ['image', 'video'],
};

export const chatCall = (model: string, tokens: number): ShownCall => ({
  ...CHAT,
  body: { model, messages: [{ role: 'user', content: 'Say hello.' }], max_tokens: tokens },
});

export const mediaCall = ({ id, mode, pricing }: MediaModel, options: Values): ShownCall => ({
  ...mediaRoute(pricing.unit === 'image'),
  body: {
    modelId: id,
    prompt: 'A red fox in the snow',
    ...Object.fromEntries(
      (SOURCES[mode] ?? []).map((name) => [
        name,
        `https://example.com/fox.${name === 'video' ? 'mp4' : 'jpg'}`,
      ]),
    ),
    ...options,
  },
});

/** The call with the chosen options, in each way of its route. */
export const CallCode = ({ shown }: { readonly shown: ShownCall }) => <CodeTabs samples={samplesOf(shown)} />;
