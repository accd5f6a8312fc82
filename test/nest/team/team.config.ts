import { registerAs } from '@nestjs/config';
import { IsBoolean, IsInt, IsOptional, IsString, Max, Min } from 'class-validator';

import { settingsFrom } from '#platform/config/module-settings';
import { Secret } from '#platform/config/variables';

class TeamVariables {
  @IsInt() @Min(1) @Max(50) readonly TEAM_NOTES_MAX: number = 20;
  @IsBoolean() readonly TEAM_SHARES: boolean = true;
  @Secret() @IsOptional() @IsString() readonly TEAM_TOKEN?: string;
}

export const teamConfig = registerAs('team', settingsFrom(TeamVariables));
