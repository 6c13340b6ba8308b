import { describeProjects } from "./describe-projects.ts";

export const listProjects = () => describeProjects();
