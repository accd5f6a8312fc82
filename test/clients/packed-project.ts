import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ROOT = join(__dirname, '..', '..');

/** A project outside of this repository that has installed the packed package. */
export class PackedProject {
  private constructor(
    readonly folder: string,
    readonly tarball: string,
  ) {}

  static make(): PackedProject {
    const made = mkdtempSync(join(tmpdir(), 'package-'));
    execFileSync(process.execPath, ['tools/build-client.mjs', made], { cwd: ROOT });
    const folder = mkdtempSync(join(tmpdir(), 'project-'));
    const { version } = JSON.parse(readFileSync(join(made, 'package.json'), 'utf8')) as { version: string };
    const project = new PackedProject(folder, join(folder, `lamppost-${version}.tgz`));
    project.write('package.json', JSON.stringify({ private: true, type: 'module' }));
    execFileSync('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: made });
    const quiet = ['--offline', '--no-audit', '--no-fund', '--loglevel=error'];
    execFileSync('npm', ['install', ...quiet, project.tarball], { cwd: folder });
    return project;
  }

  /** Links further packages from this repository. */
  link(...places: readonly string[]): this {
    for (const place of places) {
      const name = place.split('node_modules/')[1]!;
      symlinkSync(join(ROOT, place), join(this.folder, 'node_modules', name));
    }
    return this;
  }

  path(name: string): string {
    return join(this.folder, name);
  }

  write(name: string, text: string): string {
    writeFileSync(this.path(name), text);
    return name;
  }
}
