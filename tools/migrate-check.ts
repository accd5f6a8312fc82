import 'reflect-metadata';

import { schemaDifferences } from './schema-differences';
import { onThrowawayDatabase } from './throwaway-database';

const main = (): Promise<void> =>
  onThrowawayDatabase(async (source, applied) => {
    const found = await schemaDifferences(source);
    found.forEach((difference) => console.error(difference));
    const count = `${source.entityMetadatas.length} entities and ${applied.length} migrations`;
    console.log(found.length === 0 ? `${count} agree.` : `${count} disagree in ${found.length} places.`);
    process.exitCode = found.length === 0 ? 0 : 1;
  });

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
