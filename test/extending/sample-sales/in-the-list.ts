import { AppModule } from '../../../src/app.module';
import { SampleSalesModule } from './sample-sales.module';

// A feature in `src` is one line of the list itself.
const listed = AppModule.with.bind(AppModule);
AppModule.with = (settings) => {
  const module = listed(settings);
  return { ...module, imports: [...(module.imports ?? []), SampleSalesModule] };
};
