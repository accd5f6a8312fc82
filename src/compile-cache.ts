import nodeModule from 'node:module';
import { join } from 'node:path';

/**
 * From Node 22.8 on, later starts use the code that V8 compiled at an earlier one. The cache is beside the built files, so
 * only those who can change these can change it. Where they are read-only, the start compiles as before.
 */
const { enableCompileCache } = nodeModule as unknown as {
  enableCompileCache?: (directory: string) => unknown;
};
enableCompileCache?.(join(__dirname, '..', '.compile-cache'));
