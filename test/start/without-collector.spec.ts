import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

const ROOT = join(__dirname, '..', '..');

describe('a service without a collector', () => {
  it('does not load what sends traces', () => {
    const script = `require('reflect-metadata'); require('./dist/src/create-app.js');
      console.log(Object.keys(require.cache).filter((file) => /opentelemetry.(sdk|exporter|otlp|context)/.test(file)).length)`;

    expect(execFileSync(process.execPath, ['-e', script], { cwd: ROOT, encoding: 'utf8' }).trim()).toBe('0');
  });
});
