import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { inThread } from '#platform/threads/thread';

/** The codes of a validation by a different implementation of C2PA than the one in the service. */
export interface SecondOpinion {
  readonly isValid: boolean;
  readonly codes: readonly string[];
  readonly actions: readonly string[];
  readonly ingredients: number;
}

const READ = `
  const { readFileSync } = require('node:fs');
  const part = (name) => import(workerData.folder + name + '/index.js');
  const read = async () => {
    const [{ BMFF, JPEG, PNG }, { SuperBox }, { ManifestStore, ActionAssertion, IngredientAssertion }] =
      await Promise.all(['asset', 'jumbf', 'manifest'].map(part));
    BMFF.canReadBrands.add('mp42'); // It reads the boxes of films, but lists only the names of pictures.
    const bytes = readFileSync(workerData.path);
    const Kind = [JPEG, PNG, BMFF].find((kind) => kind.canRead(bytes));
    const asset = new Kind(bytes);
    const jumbf = asset.getManifestJUMBF();
    if (jumbf === undefined) return { isValid: false, codes: ['none'], actions: [], ingredients: 0 };
    const store = ManifestStore.read(SuperBox.fromBuffer(jumbf));
    const result = await store.validate(asset);
    const { assertions } = store.getActiveManifest().assertions;
    return {
      isValid: result.isValid,
      codes: result.statusEntries.map(({ code }) => code),
      actions: assertions.flatMap((one) => one instanceof ActionAssertion ? one.actions.map(({ action }) => action) : []),
      ingredients: assertions.filter((one) => one instanceof IngredientAssertion).length,
    };
  };
  run(() => read().catch((error) => ({ isValid: false, codes: [String(error)], actions: [], ingredients: 0 })));
`;

/**
 * Reads a file with @trustnxt/c2pa-ts. The package consists of ES modules, which the tests can load only in a thread.
 */
export const secondOpinion = async (path: string): Promise<SecondOpinion> => {
  const folders = require.resolve.paths('@trustnxt/c2pa-ts') ?? [];
  const dist = folders.map((folder) => join(folder, '@trustnxt', 'c2pa-ts', 'dist')).find(existsSync);
  const folder = `${pathToFileURL(dist!).href}/`;
  const answer = await inThread<SecondOpinion>(READ, { folder, path }, { milliseconds: 60_000, heapMb: 512 });
  if (answer === undefined) throw new Error('The second reader gave no answer.');
  return answer;
};
