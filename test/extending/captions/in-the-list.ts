import { AppModule } from '../../../src/app.module';
import { CaptionsModule } from './captions.module';

// The one line. In src it is in the list of features itself.
const listed = AppModule.with.bind(AppModule);
AppModule.with = (settings) => {
  const module = listed(settings);
  return { ...module, imports: [...(module.imports ?? []), CaptionsModule] };
};
