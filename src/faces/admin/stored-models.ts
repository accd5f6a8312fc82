import { SystemClock } from '#kernel/clock';
import { Catalog } from '#models/catalog/catalog';
import { StoredChoice } from '#models/catalog/choices/model-choice.entity';
import { ModelChoiceRepository } from '#models/catalog/choices/model-choice.repository';
import { ModelChoices } from '#models/catalog/choices/model-choices';
import { ListAgreement, VendorList } from '#models/catalog/listed/vendor-list.entity';
import { VendorListRepository } from '#models/catalog/listed/vendor-list.repository';
import { VendorLists } from '#models/catalog/listed/vendor-lists';
import { OffSwitch } from '#models/catalog/off-switch.entity';
import { OffSwitchRepository } from '#models/catalog/off-switch.repository';
import { OffSwitches } from '#models/catalog/off-switches';
import { ScopeModels } from '#people/keys/scope-models';
import { BackgroundWork } from '#platform/background/background-work';
import { ServiceDataSource, serviceOptions } from '#platform/database/data-source';
import { Database } from '#platform/database/database';
import { isPooled } from '#platform/database/database-url';
import type { Settings } from '../../settings';
import { AdminModelsService } from './admin-models.service';
import { AuditEntry } from './audit-entry.entity';
import { AuditRepository } from './audit.repository';

/** The same service as that of the operators' page. It reads what is stored, and asks no vendor. */
const modelsIn = async (
  settings: Settings,
  source: ServiceDataSource,
  db: Database,
): Promise<AdminModelsService> => {
  const catalog = new Catalog(settings);
  const background = new BackgroundWork();
  const stored = new VendorListRepository(
    source.getRepository(VendorList),
    source.getRepository(ListAgreement),
    db,
  );
  const lists = new VendorLists(
    db,
    catalog,
    new ScopeModels(),
    stored,
    new SystemClock(),
    settings,
    background,
  );
  const choices = new ModelChoices(
    db,
    catalog,
    new ModelChoiceRepository(source.getRepository(StoredChoice), db),
    background,
  );
  const switches = new OffSwitches(
    db,
    catalog,
    new OffSwitchRepository(source.getRepository(OffSwitch), db),
    background,
  );
  const audit = new AuditRepository(db, source.getRepository(AuditEntry));
  await Promise.all([lists.read(), choices.read(), switches.read()]);
  return new AdminModelsService(db, catalog, lists, choices, switches, audit, settings);
};

/** Works with the models that the database has, without the service. */
export const withStoredModels = async <T>(
  settings: Settings & { readonly databaseUrl: string },
  work: (models: AdminModelsService, db: Database) => Promise<T>,
): Promise<T> => {
  const source = new ServiceDataSource(
    serviceOptions(settings.databaseUrl, { isPooled: isPooled(settings) }),
  );
  try {
    await source.initialize();
    const db = new Database(source, settings);
    return await work(await modelsIn(settings, source, db), db);
  } finally {
    if (source.isInitialized) await source.destroy();
  }
};
