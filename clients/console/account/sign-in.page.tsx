import { show } from '../parts/shell.tsx';
import { Entrance } from './entrance.tsx';

show(<Entrance isNew={false} />);
