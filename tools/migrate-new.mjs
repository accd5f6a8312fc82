import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const FOLDER = fileURLToPath(new URL('../migrations', import.meta.url));

const fail = (message) => {
  console.error(message);
  process.exit(1);
};

const [topic, ...rest] = process.argv.slice(2);
if (topic === undefined || rest.length > 0 || !/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(topic)) {
  fail('Name one topic in kebab-case, such as: npm run migrate:new -- saved-references');
}

// TypeORM runs migrations in the order of the thirteen digits that end their class names.
const timestamp = Date.now();
const name = topic.replace(/(^|-)([a-z0-9])/g, (_, dash, letter) => letter.toUpperCase());
const file = join(FOLDER, `${timestamp}-${topic}.ts`);
if (existsSync(file)) {
  fail(`${file} is there already.`);
}

mkdirSync(FOLDER, { recursive: true });
writeFileSync(
  file,
  `import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Say what these tables are for, and which rule they keep that no code path can get past. */
export class ${name}${timestamp} implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(\`
      \`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query('');
  }
}
`,
);
console.log(`Wrote ${file}.`);
