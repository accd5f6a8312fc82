import { readdirSync } from 'node:fs';
import { join } from 'node:path';

const SOURCES = join(__dirname, '..', '..');
const MIGRATIONS = join(SOURCES, '..', 'migrations');

/**
 * The service itself loads these classes instead of TypeORM, so that they are the same classes as in the rest of the
 * code.
 */
const classesIn = (folder: string, names: RegExp): NewableFunction[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => names.test(name))
    .flatMap((name) => Object.values(module.require(join(folder, name)) as object))
    .filter((value): value is NewableFunction => typeof value === 'function');

/**
 * The entities of all features: the classes in `*.entity.ts` files. `tools/bundle.mjs` replaces this file by a list.
 */
export const entityClasses = (): NewableFunction[] => classesIn(SOURCES, /\.entity\.(ts|js)$/);

/** All migrations, in any order: TypeORM sorts them by the number in their names. */
export const migrationClasses = (): NewableFunction[] => classesIn(MIGRATIONS, /^\d+-[^.]*\.(ts|js)$/);
