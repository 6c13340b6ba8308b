import { describeProjects } from "../../queries/projects/describe-projects.ts";

export const listProjects = () => describeProjects();
