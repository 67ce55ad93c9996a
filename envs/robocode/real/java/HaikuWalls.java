package haiku;

import robocode.AdvancedRobot;
import robocode.HitWallEvent;
import robocode.ScannedRobotEvent;

/** Drives along the walls once it has seen an enemy, and fires at each scan. */
public class HaikuWalls extends AdvancedRobot {
  @Override public void run() {
    while (true) turnGunRight(Double.POSITIVE_INFINITY);
  }

  @Override public void onScannedRobot(ScannedRobotEvent enemy) {
    setAhead(Double.POSITIVE_INFINITY);
    fire(3);
  }

  @Override public void onHitWall(HitWallEvent wall) {
    turnRight(90 + wall.getBearing());
  }
}
