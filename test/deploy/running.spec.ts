import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

import { CORE_SCHEMA, load, mergeTag } from 'js-yaml';

import { type Settings, readSettings, settingNames } from '../../src/settings';

const ROOT = join(__dirname, '..', '..');
const read = (path: string): string => readFileSync(join(ROOT, 'deploy', path), 'utf8');

type Variables = Record<string, string>;

const variablesIn = (text: string): Variables =>
  Object.fromEntries(
    [...text.matchAll(/^([A-Z]\w*)=(.*)$/gm)].map(([, name = '', value = '']) => [name, value]),
  );

const example = read('settings.env.example');

/** The file as an operator fills it in: only the empty settings get values. */
const filled: Variables = {
  ...variablesIn(example),
  PUBLIC_URL: 'https://lamppost.example',
  ...Object.fromEntries(
    Object.entries(variablesIn(example))
      .filter(([name, value]) => value === '' && name !== 'PUBLIC_URL')
      .map(([name]) => [name, 'f'.repeat(64)]),
  ),
};

/** Settings of the programs beside the service. */
const OF_OTHERS = ['POSTGRES_PASSWORD'];

const unknownIn = (variables: Variables): readonly string[] =>
  Object.keys(variables).filter((name) => !settingNames().includes(name) && !OF_OTHERS.includes(name));

/** The commands of the package, which is what operators install. */
const commands = [
  ...readFileSync(join(ROOT, 'src', 'cli.ts'), 'utf8').matchAll(/^ {2}(\w+): \(\) => module/gm),
].map(([, name]) => name);

/** Whether these arguments of `node` start the package's one file with an existing command. */
const isCommand = ([file, command = 'start']: readonly (string | undefined)[]): boolean =>
  file === 'dist/service.js' && commands.includes(command);

/** These tools, and all tools that they import. */
const withImports = (tools: readonly string[]): readonly string[] => {
  const imported = tools.flatMap((name) =>
    [...readFileSync(join(ROOT, name), 'utf8').matchAll(/ from '\.\/([\w.-]+)'/g)].map(
      ([, file = '']) => `tools/${file}`,
    ),
  );
  const all = [...new Set([...tools, ...imported])];
  return all.length === tools.length ? all : withImports(all);
};

interface Service {
  readonly image: string;
  readonly build?: object;
  readonly command?: readonly string[];
  readonly environment?: Variables;
  readonly [other: string]: unknown;
}

const composeText = read('compose.yaml');
const compose = load(
  composeText.replaceAll(/\$\{(\w+):\?[^}]*\}/g, (_, name: string) => filled[name] ?? ''),
  { schema: CORE_SCHEMA.withTags(mergeTag) },
) as { readonly services: Readonly<Record<string, Service>> };
const ours = Object.entries(compose.services).filter(([, { build }]) => build !== undefined);

const dockerfile = read('Dockerfile');

describe('the settings to fill in', () => {
  it('are known, and so are those that are only suggested', () => {
    expect(unknownIn(variablesIn(example.replaceAll(/^#(?=[A-Z]\w*=)/gm, '')))).toEqual([]);
  });
});

describe('compose', () => {
  const settingsOf = (name: string): Settings =>
    readSettings({ NODE_ENV: 'production', ...filled, ...compose.services[name]?.environment });

  it('runs the migrations, the API and the workers', () => {
    expect(ours.map(([name]) => name)).toEqual(['migrate', 'api', 'worker']);
    expect([settingsOf('api').role, settingsOf('worker').role]).toEqual(['api', 'worker']);
  });

  it.each(ours)(
    'gives %s every setting it needs, and none that nobody knows',
    (name, { environment = {} }) => {
      const settings = settingsOf(name);

      expect(unknownIn(environment)).toEqual([]);
      expect(settings).toMatchObject({
        databaseUrl: `postgres://lamppost:${filled['POSTGRES_PASSWORD']}@postgres:5432/lamppost`,
        redisUrl: 'redis://redis:6379',
        http: { trustedProxies: [expect.any(String)] },
        blobs: { store: 's3', s3: { bucket: 'lamppost', secretAccessKey: filled['S3_SECRET_ACCESS_KEY'] } },
      });
    },
  );

  it.each(ours)('starts %s with what is built, as nobody who could write or rise', (_, service) => {
    const [node, ...words] = service.command ?? ['node', 'dist/service.js'];

    expect([node, isCommand(words)]).toEqual(['node', true]);
    expect(service).toMatchObject({ read_only: true, cap_drop: ['ALL'], stop_grace_period: '35s' });
  });

  it('believes the proxy alone', () => {
    const { networks } = compose.services['proxy'] as unknown as {
      networks: { outside: { ipv4_address: string } };
    };

    expect(settingsOf('api').http.trustedProxies).toEqual([networks.outside.ipv4_address]);
  });

  it('asks for nothing that the file to fill in leaves out', () => {
    const asked = [...composeText.matchAll(/\$\{(\w+)/g)].map(([, name = '']) => name);

    expect(asked.filter((name) => !(name in variablesIn(example)))).toEqual([]);
  });
});

describe('the image', () => {
  it('starts what is built by itself, so that signals reach it, and not as root', () => {
    const [, file = ''] = /^CMD \["node", "([^"]+)"\]$/m.exec(dockerfile) ?? [];
    const last = dockerfile.slice(dockerfile.lastIndexOf('\nFROM '));

    expect(isCommand([file])).toBe(true);
    expect(last).toMatch(/^USER node$/m);
    expect(last).toContain('/health/live');
  });

  it('sets what the service knows', () => {
    const [, line = ''] = /^ENV (.+)$/m.exec(dockerfile) ?? [];
    const variables = Object.fromEntries(line.split(' ').map((pair) => pair.split('='))) as Variables;

    expect(unknownIn(variables)).toEqual([]);
    expect(readSettings({ ...variables }).http).toMatchObject({ host: '0.0.0.0', port: 3000 });
  });

  it('is built of everything that goes into dist', () => {
    const { include } = JSON.parse(readFileSync(join(ROOT, 'tsconfig.build.json'), 'utf8')) as {
      include: string[];
    };
    const taken = read('Dockerfile.dockerignore').split('\n');

    const tools = withImports(['build', 'bundle', 'package'].map((name) => `tools/${name}.mjs`));
    const needed = [...include, ...tools, 'clients/console', 'docs/guides', 'README.md', 'LICENSE'];

    expect(needed.filter((name) => !taken.includes(`!${name}`))).toEqual([]);
  });
});

describe('systemd', () => {
  const units = readdirSync(join(ROOT, 'deploy', 'systemd'));

  it.each(units)('starts what is built with settings that are known: %s', (name) => {
    const unit = read(join('systemd', name));
    const [, line = ''] = /^Environment=(.+)$/m.exec(unit) ?? [];
    const variables = Object.fromEntries(line.split(' ').map((pair) => pair.split('='))) as Variables;
    const [, words = ''] = /^ExecStart=\/usr\/bin\/node (.+)$/m.exec(unit) ?? [];

    expect(unknownIn(variables)).toEqual([]);
    expect(isCommand(words.split(' '))).toBe(true);
    expect(
      readSettings({ ...filled, DATABASE_URL: 'postgres://db.example/lamppost', ...variables }),
    ).toMatchObject({ mode: 'production', dataDir: '/var/lib/lamppost' });
  });
});

describe('the chart', () => {
  const templates = readdirSync(join(ROOT, 'deploy', 'helm', 'templates')).map((name) =>
    read(join('helm', 'templates', name)),
  );
  const text = templates.join('\n');
  const values = load(read('helm/values.yaml')) as { readonly settings: Variables };

  it('asks for settings that are known, and names as secrets only settings without a value', () => {
    const secrets = [...read('helm/values.yaml').matchAll(/\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b/g)].map(
      ([name]) => name,
    );

    expect(unknownIn(values.settings)).toEqual([]);
    expect(
      unknownIn(Object.fromEntries(secrets.map((name) => [name, '']))).filter((name) => name !== ''),
    ).toEqual([]);
  });

  it('has the same version as the service', () => {
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };

    expect(load(read('helm/Chart.yaml'))).toMatchObject({ version, appVersion: version });
  });

  it('starts what is built, asks for what answers, and leaves time for a stop', () => {
    const [, words = ''] = /command: \[node, ([^\]]+)\]/.exec(text) ?? [];
    const grace = Number(/terminationGracePeriodSeconds: (\d+)/.exec(text)?.[1]);
    const wait = Number(/command: \[sleep, '(\d+)'\]/.exec(text)?.[1]);

    expect(isCommand(words.split(', '))).toBe(true);
    expect([...text.matchAll(/path: (\/health\/\w+)/g)].map(([, path]) => path)).toEqual([
      '/health/ready',
      '/health/ready',
      '/health/live',
    ]);
    // The process itself takes up to 30 seconds.
    expect(grace - wait).toBeGreaterThanOrEqual(35);
  });

  it('has each part that a fleet needs', () => {
    const kinds = [...text.matchAll(/^kind: (\w+)$/gm)].map(([, kind = '']) => kind);

    expect(kinds.toSorted()).toEqual([
      'Deployment',
      'HorizontalPodAutoscaler',
      'Ingress',
      'Job',
      'NetworkPolicy',
      'NetworkPolicy',
      'PodDisruptionBudget',
      'Service',
    ]);
  });
});
