import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, extname, join, posix } from 'node:path';

import { Compressed } from '#platform/http/answers/compressed';

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
};

/**
 * The only third-party libraries that run in the browser. The service serves them under the names that our modules
 * import.
 */
const LIBRARIES: Readonly<Record<string, string>> = {
  preact: 'preact/dist/preact.module.js',
  'preact/hooks': 'preact/hooks/dist/hooks.module.js',
  'preact/jsx-runtime': 'preact/jsx-runtime/dist/jsxRuntime.module.js',
};

const libraryFile = (name: string): string => `library/${name}.js`;

/** The folder of built modules, relative to the built service and relative to the sources. */
const BUILT = ['../../../console', '../../../dist/console'].map((path) => join(__dirname, path));

export interface ClientFile {
  readonly type: string;
  readonly content: Compressed;
}

const readBuilt = (folder: string): Map<string, Buffer> => {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (name) => TYPES[extname(name)],
  );
  return new Map(names.map((name) => [name.replaceAll('\\', '/'), readFileSync(join(folder, name))]));
};

const readLibraries = (): Map<string, Buffer> =>
  new Map(
    Object.entries(LIBRARIES).map(([name, path]) => {
      const root = dirname(require.resolve('preact/package.json'));
      const text = readFileSync(join(root, path.slice('preact/'.length)), 'utf8');
      return [libraryFile(name), Buffer.from(text.replace(/^\/\/# sourceMappingURL=.*$/m, ''))];
    }),
  );

/**
 * Finds imports in the compiler's output. It also finds imports in code examples, but these name packages that the
 * service does not serve.
 */
const IMPORT = /(?:^|;)(?:import|export)(?:[^"';]*[\s}]from)?\s*["']([^"']+)["']/gm;

/** The built files of the pages. */
export class ClientFiles {
  private readonly sources: ReadonlyMap<string, Buffer>;
  private readonly files: ReadonlyMap<string, ClientFile>;
  /** The version of the build. It is a part of all addresses, so browsers may cache the files for ever. */
  readonly version: string;

  private constructor(folder: string) {
    this.sources = new Map([...readBuilt(folder), ...readLibraries()]);
    const hash = createHash('sha256');
    for (const [name, bytes] of [...this.sources].sort(([a], [b]) => (a < b ? -1 : 1)))
      hash.update(name).update(bytes);
    this.version = hash.digest('hex').slice(0, 12);
    this.files = new Map(
      [...this.sources].map(([name, bytes]) => [
        name,
        { type: TYPES[extname(name)] ?? '', content: new Compressed(bytes) },
      ]),
    );
  }

  /** Returns undefined if the pages were not built, as in tests of other parts. */
  static read(): ClientFiles | undefined {
    const folder = BUILT.find((path) => existsSync(join(path, 'style.css')));
    return folder === undefined ? undefined : new ClientFiles(folder);
  }

  find(name: string): ClientFile | undefined {
    return this.files.get(name);
  }

  /** The address of a file for the browser, relative to the address of the service. */
  addressOf(name: string): string {
    return `assets/${this.version}/${name}`;
  }

  /** The import map for the bare names of modules. */
  get importMap(): string {
    const imports = Object.keys(LIBRARIES).map((name) => [name, `./${this.addressOf(libraryFile(name))}`]);
    return JSON.stringify({ imports: Object.fromEntries(imports) });
  }

  /** A module and all modules that it imports, so that a browser can load them at once. */
  graphOf(entry: string): readonly string[] {
    const found = new Set([entry]);
    for (const name of found) {
      for (const [, wanted = ''] of (this.sources.get(name)?.toString('utf8') ?? '').matchAll(IMPORT)) {
        if (wanted in LIBRARIES) found.add(libraryFile(wanted));
        else if (wanted.startsWith('.')) found.add(posix.join(posix.dirname(name), wanted));
      }
    }
    return [...found];
  }
}
