import { show } from '../parts/shell.tsx';
import { Entrance } from '../account/entrance.tsx';

show(<Entrance isNew={false} />);
