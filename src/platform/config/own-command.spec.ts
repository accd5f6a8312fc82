import { commandOf } from './own-command';

describe('the name of a command', () => {
  it.each([
    ['/src/models-command.ts', 'models', 'npm run -s models --'],
    ['/src/models-command.ts', 'migrate', 'npm run migrate'],
    [`${process.cwd()}/dist/service.js`, 'models', 'node dist/service.js models'],
    ['/usr/bin/lamppost-service', 'migrate', 'lamppost-service migrate'],
  ])('of %s is the one that its user types: %s', (script, command, expected) => {
    expect(commandOf(command, script)).toBe(expected);
  });
});
