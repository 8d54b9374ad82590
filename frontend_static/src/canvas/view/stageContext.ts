import { createContext, useContext } from "react";
import type { Stage } from "./stage";

const StageContext = createContext<Stage | null>(null);

export const StageProvider = StageContext.Provider;

/** The stage of the surrounding canvas. */
export function useStage(): Stage {
  const stage = useContext(StageContext);
  if (!stage) throw new Error("There is no canvas around this component.");
  return stage;
}
