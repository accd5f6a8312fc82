import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';

import { sniffed } from '../file-types.ts';
import type { Schemas } from '../answers.ts';
import { type Command, only } from './command.ts';

export const provenance: Command = {
  usage: ['FILE [--upload]'],
  about: 'whether a file was made by the service, and by which model',
  more: 'Only the hash of the file leaves this machine. With --upload the picture does, too, and changed copies and manifests are checked.',
  options: ['upload'],
  examples: ['fox.png'],
  run: async (call) => {
    const bytes = await readFile(only(call, 'file'));
    const mime = sniffed(bytes)?.type ?? 'image/png';
    const media = call.options.upload === true && {
      media: `data:${mime};base64,${bytes.toString('base64')}`,
    };
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const body = { sha256, ...media };
    const answered = await call.client.read('/v1/agent/provenance/verify', { body });
    const answer = (await answered.json()) as Schemas['ProvenanceCheckAnswer'];
    const { match, model, createdAt, distance, manifest, manifestIssuer } = answer;
    const found =
      match === 'none' ? 'Not found.' : `${match}: ${model}, ${createdAt}, ${distance} bits differ`;
    const text =
      manifest === undefined
        ? found
        : `${found}\nC2PA manifest: ${[manifest, manifestIssuer ?? []].flat().join(', ')}`;
    return { json: answer, text, exitCode: answer.found ? 0 : 1 };
  },
};
