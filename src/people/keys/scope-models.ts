import { Injectable } from '@nestjs/common';

import { InvalidRequest } from '#kernel/app-error';
import { similarTo } from '#kernel/nearest';
import type { KeyScopes } from './key-scopes';

/** The models that a scope can name. The catalog registers them, because the keys module may not import the catalog. */
@Injectable()
export class ScopeModels {
  private known: ReadonlySet<string> = new Set();

  use(ids: Iterable<string>): void {
    this.known = new Set(ids);
  }

  /**
   * Refuses a model that is not in the catalog. `before` is the present scope of the key, whose models may have left
   * the catalog meanwhile.
   */
  refuseUnknown(scopes: KeyScopes | undefined, before: KeyScopes = {}): void {
    const at =
      scopes?.models?.findIndex((id) => !this.known.has(id) && before.models?.includes(id) !== true) ?? -1;
    if (at < 0) return;
    const id = scopes?.models?.[at] ?? '';
    const param = `scopes.models[${at}]`;
    const meant = similarTo(id, [...this.known]);
    throw new InvalidRequest(
      `${param}: there is no model ${id}.${meant === undefined ? '' : ` Did you mean ${meant}?`} ` +
        'GET /v1/agent/models lists them all.',
      { param, remedies: meant === undefined ? [] : [{ param, value: meant }] },
    );
  }
}
