// Schematics of Nest for a vendor, a paid route, a rail and a free route. Each copies code of test/extending under a new
// name. So every test run compiles that code, runs it and holds it to the contracts.
const { execFileSync } = require('node:child_process');
const { readFileSync } = require('node:fs');
const path = require('node:path');

const ROOT = path.join(__dirname, '..', '..');

const pascal = (name) => name.replace(/(^|-)([a-z0-9])/g, (_, __, letter) => letter.toUpperCase());
const camel = (name) => pascal(name).replace(/^./, (letter) => letter.toLowerCase());
const header = (name) => name.replace(/(^|-)([a-z])/g, (_, hyphen, letter) => hyphen + letter.toUpperCase());
const words = (name) => name.replaceAll('-', ' ');
const sentence = (name) => words(name).replace(/^./, (letter) => letter.toUpperCase());
const snake = (name) => name.replaceAll('-', '_');
const constant = (name) => snake(name).toUpperCase();

/** The forms of a name in code and texts. A name of one word has equal forms: an identifier follows `const` or a brace. */
const FORMS = [
  [(name) => `const ${camel(name)} `, (name) => `const ${camel(name)} `],
  [pascal, pascal],
  [header, header],
  [sentence, sentence],
  [constant, constant],
  [(name) => name, (name) => name],
  [snake, snake],
  [camel, camel],
  [words, words],
];

/** Equal forms, such as the snake case and the name of one word, are replaced by the first of them. */
const renamed = (text, from, to) => {
  const marks = FORMS.map(([form], index) => [form(from), `\u0000${index}\u0000`]);
  const marked = marks.reduce((rest, [form, mark]) => rest.replaceAll(form, mark), text);
  return FORMS.reduce((rest, [, form], index) => rest.replaceAll(marks[index][1], form(to)), marked);
};

const formatted = (file, text) =>
  execFileSync(
    process.execPath,
    [path.join(ROOT, 'node_modules/oxfmt/bin/oxfmt'), `--stdin-filepath=${file}`],
    {
      cwd: ROOT,
      input: text,
      encoding: 'utf8',
    },
  );

/** Adds an import after the last one, and an entry at the end of a list. */
const listed = (text, { list, end, line, entry }) => {
  const imports = [...text.matchAll(/^import .*;$/gm)].at(-1);
  const afterImports = imports.index + imports[0].length;
  const close = text.indexOf(end, text.indexOf(list));
  return `${text.slice(0, afterImports)}\n${line}${text.slice(afterImports, close)}${entry}${text.slice(close)}`;
};

const VENDORS = {
  path: 'src/models/providers/vendors.ts',
  list: 'export const VENDORS',
  end: '];',
  line: (name) => `import { ${camel(name)} } from './${name}/${name}.vendor';`,
  entry: (name) => `  ${camel(name)},\n`,
};

const FEATURES = {
  path: 'src/app.module.ts',
  list: 'imports: [',
  end: '  ],',
  line: (name) => `import { ${pascal(name)}Module } from './${name}/${name}.module';`,
  entry: (name) => `    ${pascal(name)}Module,\n`,
};

const KINDS = {
  vendor: {
    example: 'acme',
    source: (name) => `src/models/providers/${name}`,
    sources: ['acme-media.provider.ts', 'acme.vendor.ts', 'acme.wire.spec.ts', 'acme.wire.ts'],
    tests: (name) => `test/providers/${name}`,
    parts: ['acme.media-vendor.ts', 'fake-acme.ts'],
    list: VENDORS,
    next: ['npm run env:example'],
  },
  textVendor: {
    example: 'quill',
    source: (name) => `src/models/providers/${name}`,
    sources: ['quill.vendor.ts', 'quill.wire.ts'],
    tests: (name) => `test/providers/${name}`,
    parts: ['quill.text-vendor.ts', 'fake-quill.ts'],
    list: VENDORS,
    next: ['npm run env:example'],
  },
  paidRoute: {
    example: 'sample-captions',
    source: (name) => `src/${name}`,
    sources: [
      'sample-captions.controller.ts',
      'sample-captions.dto.ts',
      'sample-captions.module.ts',
      'sample-captions.pricer.spec.ts',
      'sample-captions.pricer.ts',
    ],
    tests: (name) => `test/routes/${name}`,
    parts: ['sample-captions.paid-route.ts'],
    guide: 'sample-captions.guide.md',
    list: FEATURES,
    next: ['npm run openapi'],
  },
  mediaRoute: {
    example: 'sample-upscale',
    source: (name) => `src/${name}`,
    sources: [
      'sample-upscale-sources.ts',
      'sample-upscale.controller.ts',
      'sample-upscale.dto.spec.ts',
      'sample-upscale.dto.ts',
      'sample-upscale.module.ts',
      'sample-upscale.pricer.ts',
    ],
    tests: (name) => `test/routes/${name}`,
    parts: ['sample-upscale.paid-route.ts'],
    guide: 'sample-upscale.guide.md',
    list: FEATURES,
    next: ['npm run openapi'],
  },
  resource: {
    example: 'sample-notes',
    source: (name) => `src/${name}`,
    sources: [
      'sample-notes.controller.ts',
      'sample-notes.dto.ts',
      'sample-notes.module.ts',
      'sample-notes.service.spec.ts',
      'sample-notes.service.ts',
    ],
    list: FEATURES,
    next: ['npm run openapi'],
  },
  rail: {
    example: 'sample-voucher',
    source: (name) => `src/money/billing/rails/${name}`,
    sources: [
      'sample-voucher.errors.ts',
      'sample-voucher.guard.ts',
      'sample-voucher.rail.spec.ts',
      'sample-voucher.rail.ts',
    ],
    tests: (name) => `test/rails/${name}`,
    parts: ['sample-voucher.rail-callers.ts'],
    guide: 'sample-voucher.guide.md',
    list: {
      path: 'src/money/billing/rails/rail-order.ts',
      list: 'export const RAIL_GUARDS',
      end: '];',
      line: (name) => `import { ${pascal(name)}Guard } from './${name}/${name}.guard';`,
      entry: (name) => `  ${pascal(name)}Guard,\n`,
    },
    next: ['npm run openapi'],
  },
};

const addition =
  (kind) =>
  ({ name }) =>
  (tree, { logger }) => {
    const { example, source, sources, tests, parts = [], guide, list, next } = KINDS[kind];
    const read = (file) =>
      renamed(readFileSync(path.join(ROOT, 'test/extending', example, file), 'utf8'), example, name);
    const add = (file, text) => tree.create(file, formatted(file, text));
    const folder = source(name);
    const { subdirs, subfiles } = tree.getDir(folder);
    if (subdirs.length + subfiles.length > 0) throw new Error(`${folder} exists. Choose another name.`);
    for (const file of sources) {
      add(`${folder}/${renamed(file, example, name)}`, read(file));
    }
    for (const file of parts) {
      const text = read(file)
        .replaceAll(`'./${name}.rail'`, `'#${source(name).slice('src/'.length)}/${name}.rail'`)
        .replaceAll(`test/extending/${name}/`, `${source(name)}/`);
      add(`${tests(name)}/${renamed(file, example, name)}`, text);
    }
    if (guide !== undefined) add(`docs/guides/${name}.md`, read(guide));
    const { line, entry, ...place } = list;
    const text = listed(tree.readText(list.path), { ...place, line: line(name), entry: entry(name) });
    tree.overwrite(list.path, text);
    logger.info(`Now run: ${next.join(', ')}. docs/extending.md explains each file.`);
    return tree;
  };

for (const kind of Object.keys(KINDS)) exports[kind] = addition(kind);
